"""A small person of boxes, written as glTF in any dress a stranger's file may wear, beside the truth in plain numpy.

The boxes are dealt to the joints; the soles are at y = 0. `build` returns the bytes and where joints and vertices
stand in the avatar frame (metres, facing +Z, her left +X).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.gltf.bytes_of import Writer, pack
from tests.gltf.naming import BETWEEN, FINGERS, KNUCKLES, SCHEMES

_TRUNK = {
    "hips": ("", (0, 0.95, 0.01)), "spine": ("hips", (0, 1.05, 0)), "chest": ("spine", (0, 1.17, -0.01)),
    "upperChest": ("chest", (0, 1.3, -0.01)), "neck": ("upperChest", (0, 1.44, 0)), "head": ("neck", (0, 1.53, 0.02)),
    "jaw": ("head", (0, 1.55, 0.05)),
}  # fmt: skip
_LEFT = {
    "Eye": ("head", (0.03, 1.6, 0.08)), "Shoulder": ("upperChest", (0.03, 1.4, 0)),
    "UpperArm": ("Shoulder", (0.16, 1.4, -0.01)), "LowerArm": ("UpperArm", (0.42, 1.4, -0.02)),
    "Hand": ("LowerArm", (0.67, 1.4, -0.01)), "UpperLeg": ("hips", (0.09, 0.9, 0)),
    "LowerLeg": ("UpperLeg", (0.1, 0.5, 0.01)), "Foot": ("LowerLeg", (0.1, 0.09, -0.02)),
    "Toes": ("Foot", (0.1, 0.03, 0.1)),
}  # fmt: skip


def _bones() -> dict[str, tuple[str, np.ndarray]]:
    """VRM bone -> parent bone, position in the T-pose, m."""
    bones = {bone: (parent, np.array(at, float)) for bone, (parent, at) in _TRUNK.items()}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        mirror = np.array([sign, 1.0, 1.0])
        for part, (parent, at) in _LEFT.items():
            bones[side + part] = (parent if parent in _TRUNK else side + parent, np.array(at) * mirror)
        for which, finger in enumerate(FINGERS):
            start = np.array([0.7 if which == 0 else 0.76, 1.4, 0.05 - 0.022 * which])
            for n, knuckle in enumerate(KNUCKLES[finger]):
                parent = side + (finger + KNUCKLES[finger][n - 1] if n else "Hand")
                step = np.array([0.02, -0.005, 0.025]) if which == 0 else np.array([0.035 - 0.007 * n, 0, 0])
                start = start + step
                bones[side + finger + knuckle] = (parent, start * mirror)
    return bones


BONES = _bones()


@dataclass
class Dress:
    """How the same person is written. Everything at its default is the plainest file."""

    scheme: str = "vrm"  # of naming.SCHEMES, or "vrm" (VRM 1.0 names), or "none" (no names), or "numbers"
    pose: str = "T"  # of the rest: T, A
    bind_pose: str = ""  # of the bind, where it differs
    vrm: str = ""  # "1.0" or "0.x": with the map, 0.x facing -Z
    armature_scale: float = 1.0
    armature_turn: tuple[float, float, float] = (0.0, 0.0, 0.0)  # rotation vector, rad
    armature_at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turned: bool = False  # every joint has a frame of its own in rest
    unit: float = 1.0  # file units a metre, uncompensated
    world_turn: float = 0.0  # rad about y, uncompensated
    lift: float = 0.0  # m, uncompensated
    matrices: bool = False  # nodes as matrices
    weights: str = "f4"  # f4, u1, u2
    joints: str = "u1"
    sparse: str = ""  # "", "based", "bare": how morph positions are stored
    interleaved: bool = False
    skins: int = 1
    rigid: bool = False  # no skin: boxes hang on nodes
    quantised: bool = False
    influences: int = 2
    hair: int = 0
    indices: bool = True
    normals: bool = True
    uv: bool = True
    color: str = ""  # "", "vec3", "vec4"
    text: bool = False  # .gltf with data URIs
    drop: tuple[str, ...] = ()
    morph_names: tuple[str, ...] = ("jawOpen", "a b.c", "a b.c")
    expressions: bool = True


@dataclass
class Truth:
    """joints: node name -> (3,) m; vertices: node name -> (V, 3) m, avatar frame; bone_of: VRM bone -> node name."""

    joints: dict[str, np.ndarray] = field(default_factory=dict)
    vertices: dict[str, np.ndarray] = field(default_factory=dict)
    bone_of: dict[str, str] = field(default_factory=dict)
    turns: dict[str, np.ndarray] = field(default_factory=dict)


def turn(vector: tuple[float, float, float] | np.ndarray) -> np.ndarray:
    """Rotation matrix of a rotation vector."""
    v = np.asarray(vector, float)
    angle = float(np.linalg.norm(v))
    if angle < 1e-12:
        return np.eye(3)
    x, y, z = v / angle
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def affine(linear: np.ndarray, at: np.ndarray) -> np.ndarray:
    m = np.eye(4)
    m[:3, :3], m[:3, 3] = linear, at
    return m


def xyzw(m: np.ndarray) -> list[float]:
    """Quaternion of a rotation matrix, by the eigenvector for eigenvalue 4 (robust for every angle)."""
    k = np.array([
        [m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[2, 0] + m[0, 2], m[2, 1] - m[1, 2]],
        [m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2], m[2, 1] + m[1, 2], m[0, 2] - m[2, 0]],
        [m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1], m[1, 0] - m[0, 1]],
        [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], m[0, 0] + m[1, 1] + m[2, 2]],
    ])  # fmt: skip
    return np.linalg.eigh(k)[1][:, -1].tolist()


def _posed(bones: dict[str, tuple[str, np.ndarray]], pose: str) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """World position and world rotation (over the T-pose) of every bone in a pose."""
    at, rotation = {}, {}
    for bone, (parent, place) in bones.items():
        above = rotation.get(parent, np.eye(3))
        own = np.eye(3)
        if pose == "A" and bone.endswith("UpperArm"):
            own = turn((0, 0, -0.8 if bone.startswith("left") else 0.8))
        rotation[bone] = above @ own
        at[bone] = at[parent] + above @ (place - bones[parent][1]) if parent else place
    return at, rotation


def build(**options: Any) -> tuple[bytes, Truth]:
    """Return the file and the truth about it."""
    dress = Dress(**options)
    return _Tailor(dress).sew()


class _Tailor:
    def __init__(self, dress: Dress) -> None:
        self.dress, self.truth, self.out = dress, Truth(), Writer()
        bones = dict(BONES)
        for lost in dress.drop:  # children move up to the parent
            parent = bones.pop(lost)[0]
            bones = {b: (parent if p == lost else p, at) for b, (p, at) in bones.items()}
        for bone, name in BETWEEN.get(dress.scheme, {}).items():
            parent, at = bones[bone]
            order = [entry for b in bones for entry in ((name, b) if b == bone else (b,))]
            bones = bones | {name: (parent, bones[parent][1]), bone: (name, at)}
            bones = {b: bones[b] for b in order}
        for n in range(dress.hair):
            bones[f"hair{n}"] = ("head" if n == 0 else f"hair{n - 1}", np.array([0, 1.6 - 0.005 * n, -0.1]))
        self.bones, self.order = bones, list(bones)
        names = SCHEMES.get(dress.scheme, {})
        rename = {"none": lambda b, i: "", "numbers": lambda b, i: f"n{i}"}.get(dress.scheme)
        self.names = [rename(b, i) if rename else names.get(b, b) for i, b in enumerate(self.order)]
        rng = np.random.default_rng(5)
        frame = {b: turn(rng.normal(size=3)) if dress.turned else np.eye(3) for b in self.order}
        self.file_turn = turn((0, dress.world_turn + (np.pi if dress.vrm == "0.x" else 0.0), 0))
        self.rest = self._frames(dress.pose, frame)
        self.bind = self._frames(dress.bind_pose or dress.pose, frame)

    def _frames(self, pose: str, frame: dict[str, np.ndarray]) -> np.ndarray:
        at, rotation = _posed(self.bones, pose)
        return np.array([affine(rotation[b] @ frame[b], at[b]) for b in self.order])

    def _file(self, frames: np.ndarray) -> np.ndarray:
        """Her frame -> the file's world: what is left uncompensated, and the armature's scale in every joint."""
        d = self.dress
        world = affine(self.file_turn * d.unit, np.array([0, d.lift * d.unit, 0]))
        scale = np.diag([d.armature_scale] * 3 + [1.0])
        full = world @ frames @ scale
        if d.armature_scale == 1.0:
            full[:, :3, :3] /= d.unit
        return full

    def sew(self) -> tuple[bytes, Truth]:
        d = self.dress
        rest = self._file(self.rest)
        armature = affine(turn(d.armature_turn) * d.armature_scale, np.array(d.armature_at))
        nodes: list[dict[str, Any]] = [{"name": "Armature"} | self._place(armature)]
        parents = [self.order.index(p) if (p := self.bones[b][0]) else -1 for b in self.order]
        for i, name in enumerate(self.names):
            above = armature if parents[i] < 0 else rest[parents[i]]
            node = self._place(np.linalg.inv(above) @ rest[i])
            nodes.append(node | ({"name": name} if name else {}))
            nodes[0 if parents[i] < 0 else parents[i] + 1].setdefault("children", []).append(i + 1)
            self.truth.joints[name] = self.rest[i, :3, 3]
            self.truth.turns[name] = self.rest[i, :3, :3]
        self.truth.bone_of = {b: self.names[i] for i, b in enumerate(self.order) if b in BONES}
        document: dict[str, Any] = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes}
        document |= {"materials": [{"name": "skin", "pbrMetallicRoughness": {"baseColorFactor": [0.8, 0.6, 0.5, 1]}}]}
        document["meshes"] = []
        if d.rigid:
            self._hang(document, rest)
        else:
            self._dress(document, rest)
        self._vrm(document)
        if d.quantised:
            document["extensionsUsed"] = document["extensionsRequired"] = ["KHR_mesh_quantization"]
        return pack(document, self.out, d.text), self.truth

    def _place(self, m: np.ndarray) -> dict[str, Any]:
        if self.dress.matrices:
            return {"matrix": m.T.ravel().tolist()}
        size = float(np.cbrt(np.linalg.det(m[:3, :3])))
        found: dict[str, Any] = {"translation": m[:3, 3].tolist(), "rotation": xyzw(m[:3, :3] / size)}
        return found | ({"scale": [size] * 3} if abs(size - 1) > 1e-9 else {})

    def _box(self, i: int) -> np.ndarray:
        """(8, 3) m round joint i in the bind pose; the feet reach down to y = 0."""
        half = 0.01 + 0.002 * (i % 7)
        corner = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) * half
        corner += self.bind[i, :3, 3] + [0.003, 0.0, 0.004]
        if self.order[i].endswith(("Foot", "Toes")):
            corner[corner[:, 1] < self.bind[i, 1, 3], 1] = 0.0
        return corner

    def _influences(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """(8, K) joints and weights of the box of joint i: half its corners share with the joints above."""
        many = self.dress.influences
        chain = [i]
        while len(chain) < many and self.bones[self.order[chain[-1]]][0]:
            chain.append(self.order.index(self.bones[self.order[chain[-1]]][0]))
        chain += [chain[-1]] * (many - len(chain))
        share = np.array([0.5 ** (k + 1) for k in range(many)]) + 0.01
        share = np.round(share / share.sum() * 255) / 255
        share[0] += 1.0 - share.sum()
        weight = np.zeros((8, max(4, -(-many // 4) * 4)))
        joint = np.zeros_like(weight, dtype=int)
        joint[:, :many] = chain
        weight[:4, :many], weight[4:, 0] = share, 1.0
        if self.order[i].endswith(("Foot", "Toes")):
            weight[:, :] = 0.0
            weight[:, 0] = 1.0
        return joint, weight

    def _dress(self, document: dict[str, Any], rest: np.ndarray) -> None:
        d, groups = self.dress, [list(range(k, len(self.order), self.dress.skins)) for k in range(self.dress.skins)]
        bind = self._file(self.bind)
        faces = np.array([[0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6],
                          [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])  # fmt: skip
        to_file = affine(self.file_turn * d.unit, np.array([0, d.lift * d.unit, 0]))
        document["skins"] = []
        for g, members in enumerate(groups):
            boxes = np.concatenate([self._box(i) for i in members])
            pairs = [self._influences(i) for i in members]
            joint, weight = (np.concatenate([p[k] for p in pairs]) for k in (0, 1))
            triangle = np.concatenate([faces + 8 * n for n in range(len(members))]).ravel()
            if not d.indices:
                boxes, joint, weight = boxes[triangle], joint[triangle], weight[triangle]
            to_mesh, stored = np.eye(4), boxes.astype("f4")
            if d.quantised:
                low, high = boxes.min(0), boxes.max(0)
                size = float((high - low).max()) / 32767
                stored = np.round((boxes - low) / size).astype("i2")
                to_mesh = affine(np.eye(3) * size, low)
                boxes = stored * size + low
            best = np.take_along_axis(weight, np.argsort(-weight, axis=1, kind="stable")[:, :4], 1)
            slot = np.take_along_axis(joint, np.argsort(-weight, axis=1, kind="stable")[:, :4], 1)
            points = np.append(boxes, np.ones((len(boxes), 1)), 1)[:, None, :, None]
            moved = (self.rest @ np.linalg.inv(self.bind))[slot] @ points
            shares = best / best.sum(1, keepdims=True)
            self.truth.vertices[f"Body{g}"] = np.einsum("vk,vkij->vi", shares, moved[:, :, :3])

            listed = list(range(len(self.order)))[:: -1 if g % 2 else 1]
            inverse = np.linalg.inv(bind) @ to_file @ to_mesh
            document["skins"].append({
                "joints": [i + 1 for i in listed],
                "inverseBindMatrices": self.out.add(inverse[listed].transpose(0, 2, 1).reshape(-1, 16).astype("f4")),
            })  # fmt: skip
            place = np.argsort(listed)
            columns: dict[str, tuple[np.ndarray, dict[str, Any]]] = {"POSITION": (stored, {})}
            if d.normals:
                out = boxes - boxes.reshape(-1, 8 if d.indices else 36, 3).mean(1).repeat(8 if d.indices else 36, 0)
                columns["NORMAL"] = (out.astype("f4") / np.linalg.norm(out, axis=1, keepdims=True).astype("f4"), {})
            if d.uv:
                columns["TEXCOORD_0"] = (np.round(boxes[:, :2] % 1 * 65535).astype("u2"), {"normalized": True})
            if d.color:
                columns["COLOR_0"] = (np.full((len(boxes), int(d.color[3])), 128, "u1"), {"normalized": True})
            full = {"u1": 255, "u2": 65535}.get(d.weights)
            for s in range(joint.shape[1] // 4):
                part = slice(4 * s, 4 * s + 4)
                columns[f"JOINTS_{s}"] = (place[joint[:, part]].astype(d.joints), {})
                if full:
                    columns[f"WEIGHTS_{s}"] = (np.round(weight[:, part] * full).astype(d.weights), {"normalized": True})
                else:
                    columns[f"WEIGHTS_{s}"] = (weight[:, part].astype("f4"), {})
            at = {} if d.interleaved else {key: self.out.add(array, **more) for key, (array, more) in columns.items()}
            primitive: dict[str, Any] = {"attributes": at or self.out.interleave(columns), "material": 0}
            if d.indices:
                primitive["indices"] = self.out.add(triangle.astype("u2"))
            primitive["targets"] = [{"POSITION": self._morph(len(boxes), k)} for k in range(len(d.morph_names))]
            named = {"extras": {"targetNames": list(d.morph_names)}}
            document["meshes"].append({"name": f"part{g}", "primitives": [primitive]} | named)
            document["nodes"].append({"name": f"Body{g}", "mesh": g, "skin": g})
            document["scenes"][0]["nodes"].append(len(document["nodes"]) - 1)

    def _morph(self, count: int, which: int) -> int:
        delta = np.zeros((count, 3), "f4")
        delta[which :: 5 + which] = (0.01, 0.02 + which, -0.03)
        if self.dress.sparse:
            return self.out.sparse(delta, self.dress.sparse == "based")
        return self.out.add(delta)

    def _hang(self, document: dict[str, Any], rest: np.ndarray) -> None:
        """No skin: each box in the frame of its own node, on a child of the joint."""
        d = self.dress
        to_file = affine(self.file_turn * d.unit, np.array([0, d.lift * d.unit, 0]))
        for i in range(len(self.order)):
            box = self._box(i)
            self.truth.vertices[f"box{i}"] = box
            into = np.linalg.inv(rest[i]) @ to_file
            local = box @ into[:3, :3].T + into[:3, 3]
            at = {"POSITION": self.out.add((local / 2.0).astype("f4"))}
            corners = self.out.add(np.arange(6).astype("u1"))
            document["meshes"].append({"primitives": [{"attributes": at, "indices": corners}]})
            document["nodes"].append({"name": f"box{i}", "mesh": i, "scale": [2.0] * 3})
            document["nodes"][i + 1].setdefault("children", []).append(len(document["nodes"]) - 1)

    def _vrm(self, document: dict[str, Any]) -> None:
        d = self.dress
        bones = {b: i + 1 for i, b in enumerate(self.order) if b in BONES}
        last = len(document["nodes"]) - 1
        if d.vrm == "1.0":
            faces: dict[str, Any] = {"preset": {"aa": {
                "morphTargetBinds": [{"node": last, "index": 0, "weight": 0.8}], "isBinary": True,
                "overrideBlink": "block",
            }}, "custom": {"pout": {"morphTargetBinds": [{"node": last, "index": 2, "weight": 1.0}]}}}  # fmt: skip
            document["extensions"] = {"VRMC_vrm": {
                "specVersion": "1.0", "humanoid": {"humanBones": {b: {"node": n} for b, n in bones.items()}},
                "expressions": faces,
            }}  # fmt: skip
        if d.vrm == "0.x":
            old = {"ThumbMetacarpal": "ThumbProximal", "ThumbProximal": "ThumbIntermediate"}
            rename = {s + new: s + was for s in ("left", "right") for new, was in old.items()}
            document["extensions"] = {"VRM": {
                "humanoid": {"humanBones": [{"bone": rename.get(b, b), "node": n} for b, n in bones.items()]},
                "blendShapeMaster": {"blendShapeGroups": [
                    {"name": "A", "presetName": "a", "binds": [{"mesh": 0, "index": 0, "weight": 80}]},
                    {"name": "Joy", "presetName": "joy", "isBinary": True,
                     "binds": [{"mesh": 0, "index": 1, "weight": 100}]},
                    {"name": "Surprised", "presetName": "unknown", "binds": []},
                ]},
            }}  # fmt: skip

#version 150
// Made once for each kind of surface: SKIN, HAIR, CLOTH, TOON, UNLIT or none of them; TEXTURED where there is a picture.
// A portrait light that hangs in the world: warm key, cool fill, rim from behind, sky and floor. The same in every view.
// Half-Lambert: Mitchell, McTaggart, Green, "Shading in Valve's Source Engine" (2006). Specular: Blinn-Phong with its
// normalisation and Schlick's Fresnel. Hair: Kajiya and Kay, "Rendering Fur with Three Dimensional Textures" (1989), two
// shifted lobes as in Scheuermann, "Hair Rendering and Shading" (2004). Directions and strengths are chosen by eye on the default avatar.

uniform mat4 p3d_ViewMatrixInverse;
uniform mat4 p3d_ProjectionMatrix;
uniform vec4 p3d_ColorScale;
uniform sampler2D p3d_Texture0;
uniform struct p3d_MaterialParameters {
    vec4 baseColor;
    vec4 emission;
    float roughness;
    float metallic;
} p3d_Material;
uniform vec4 kinesics_look;  // unused, alpha cutoff, unused, 1 keeps alpha
uniform vec4 kinesics_shade;  // toon: shade over base colour, 1 where it is drawn so
uniform vec2 kinesics_edge;  // cosines toward the key: shade alone up to the first, base colour alone from the second

in vec3 world;
in vec3 normal;
in vec4 paint;
in vec2 uv;
out vec4 color;

const vec3 KEY = normalize(vec3(-0.55, -0.80, 0.60));  // toward the light: above her right shoulder, in front
const vec3 FILL = normalize(vec3(0.85, -0.50, 0.10));
const vec3 RIM = normalize(vec3(0.25, 0.90, 0.50));
const vec3 KEY_LIGHT = vec3(1.00, 0.95, 0.89) * 1.12;
const vec3 FILL_LIGHT = vec3(0.60, 0.70, 0.88) * 0.30;
const vec3 RIM_LIGHT = vec3(0.90, 0.95, 1.00) * 0.28;
const vec3 SKY = vec3(0.21, 0.23, 0.27);
const vec3 FLOOR = vec3(0.11, 0.10, 0.09);

float half_lambert(float cosine) {
    float wrapped = cosine * 0.5 + 0.5;
    return wrapped * wrapped;
}

float gloss(vec3 n, vec3 light, vec3 view, float power) {
    vec3 h = normalize(light + view);
    return (power + 8.0) / 25.13 * pow(max(dot(n, h), 0.0), power) * max(dot(n, light), 0.0);
}

#ifdef HAIR
vec3 along_strand(vec3 n) {
    // The strand runs where v of the texture coordinates rises; hair without coordinates is taken to hang.
    vec3 px = dFdx(world), py = dFdy(world);
    vec2 ux = dFdx(uv), uy = dFdy(uv);
    vec3 t = py * ux.x - px * uy.x;
    t *= sign(ux.x * uy.y - uy.x * ux.y);
    t -= n * dot(n, t);
    float size = dot(t, t);
    if (size > 1e-18) return t * inversesqrt(size);
    return normalize(vec3(0.0, 0.001, -1.0) + n * n.z);
}

float lobe(float along, float power) {
    return pow(max(1.0 - along * along, 0.0), 0.5 * power);
}
#endif

vec3 encoded(vec3 linear) {
    // sRGB within 0.013 by one square root: three pow a pixel are a fifth of the time on a CPU renderer.
    return 1.138 * sqrt(linear) - 0.138 * linear;
}

void main() {
    vec4 base = paint * p3d_Material.baseColor;
#ifdef TEXTURED
    base *= texture(p3d_Texture0, uv);
#endif
    if (base.a < kinesics_look.y) discard;
#ifdef UNLIT
    vec3 seen = base.rgb;
#else
    // A lens looks from one point, an orthographic one along one direction: row 3, column 3 of its matrix tells.
    bool flat_view = p3d_ProjectionMatrix[3][3] > 0.5;
    vec3 view = normalize(flat_view ? p3d_ViewMatrixInverse[2].xyz : p3d_ViewMatrixInverse[3].xyz - world);
#ifdef HAIR
    vec3 n = normalize(normal);  // lit as the whole head of hair: strands turned to the viewer one by one made speckles
#else
    vec3 n = normalize(gl_FrontFacing ? normal : -normal);
#endif
    float toward = dot(n, KEY);
#ifdef TOON
    float bright = clamp((toward - kinesics_edge.x) / (kinesics_edge.y - kinesics_edge.x), 0.0, 1.0);
    vec3 seen = base.rgb * mix(kinesics_shade.rgb, vec3(1.0), bright) + p3d_Material.emission.rgb;
#else
    float key = half_lambert(toward), graze = 1.0 - max(dot(n, view), 0.0), behind = dot(n, RIM);
    vec3 light = KEY_LIGHT * key + FILL_LIGHT * half_lambert(dot(n, FILL)) + mix(FLOOR, SKY, n.z * 0.5 + 0.5);
    light += RIM_LIGHT * max(behind, 0.0);
#ifdef SKIN
    // Blood under the skin carries red light past the edge of the shade: lift red there, and a little green.
    light += KEY_LIGHT * vec3(0.13, 0.034, 0.014) * smoothstep(-0.55, 0.15, toward) * (1.0 - key);
#endif
#ifdef HAIR
    vec3 t = along_strand(n), h = normalize(KEY + view);
    float shines = smoothstep(-0.35, 0.60, toward) * min(dot(base.rgb, vec3(4.8)) + 0.15, 1.0);  // dark is deep inside
    float th = dot(t, h), nh = dot(n, h);  // the lobes' strands are tilted a little to and from the root
    vec3 shine = KEY_LIGHT * (vec3(0.055) * lobe(th + 0.14 * nh, 90.0) + base.rgb * 1.30 * lobe(th - 0.10 * nh, 22.0));
    shine = shine * shines + base.rgb * RIM_LIGHT * 1.2 * max(behind + 0.2, 0.0) * graze;
#elif defined(CLOTH)
    vec3 shine = base.rgb * light * 0.55 * graze * graze * graze;  // fibres that stand off catch the light at the edge
#else
    float rough = clamp(p3d_Material.roughness, 0.08, 1.0);
    float power = clamp(2.0 / (rough * rough * rough * rough) - 2.0, 1.0, 900.0);
    vec3 mirror = mix(vec3(0.04), base.rgb, p3d_Material.metallic);
    float smooth_ = 1.0 - rough;
    float cube = graze * graze * graze, polished = smooth_ * smooth_ * smooth_;
    float edge = cube * graze * graze * polished;
    vec3 shine = (mirror + (1.0 - mirror) * edge) * (KEY_LIGHT * 0.7 * gloss(n, KEY, view, power) + SKY * polished);
#ifdef SKIN
    shine += base.rgb * (SKY + RIM_LIGHT * 0.6) * 0.55 * cube * (0.5 + 0.5 * n.z);
#endif
#endif
    vec3 lit = base.rgb * (1.0 - p3d_Material.metallic * 0.8) * light + shine + p3d_Material.emission.rgb;
    vec3 seen = lit * (1.0 + lit * 0.06) / (1.0 + lit * 0.20);  // keeps middle tones, bends what would clip
#endif
#endif
    vec3 shown = encoded(clamp(seen, 0.0, 1.0));
    color = vec4(shown, mix(1.0, base.a, kinesics_look.w)) * p3d_ColorScale;
}

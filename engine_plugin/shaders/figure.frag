#version 150
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
uniform vec4 kinesics_look;  // 1 soft skin, -1 hair, -2 cloth; alpha cutoff, 1 unlit, 1 keeps alpha
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

float sheen(vec3 t, vec3 h, float power) {
    float c = dot(t, h);
    return pow(max(1.0 - c * c, 0.0), 0.5 * power);
}

vec3 encoded(vec3 linear) {
    // sRGB within 0.013 by one square root: three pow a pixel are a fifth of the time on a CPU renderer.
    return 1.138 * sqrt(linear) - 0.138 * linear;
}

void main() {
    vec4 base = texture(p3d_Texture0, uv) * paint * p3d_Material.baseColor;
    if (base.a < kinesics_look.y) discard;
    // A lens looks from one point, an orthographic one along one direction: row 3, column 3 of its matrix tells.
    bool flat_view = p3d_ProjectionMatrix[3][3] > 0.5;
    vec3 view = normalize(flat_view ? p3d_ViewMatrixInverse[2].xyz : p3d_ViewMatrixInverse[3].xyz - world);
    float soft = max(kinesics_look.x, 0.0);
    bool is_hair = kinesics_look.x == -1.0, is_cloth = kinesics_look.x == -2.0;
    // Strands are lit as the whole head of hair: turned to the viewer one by one, those seen edge-on made speckles.
    vec3 n = normalize(gl_FrontFacing || is_hair ? normal : -normal);

    float key = half_lambert(dot(n, KEY));
    // Blood under the skin carries red light past the edge of the shade: lift red there, and a little green.
    vec3 bleed = soft * vec3(0.13, 0.034, 0.014) * smoothstep(-0.55, 0.15, dot(n, KEY)) * (1.0 - key);
    vec3 light = KEY_LIGHT * (key + bleed) + FILL_LIGHT * half_lambert(dot(n, FILL)) + mix(FLOOR, SKY, n.z * 0.5 + 0.5);
    light += RIM_LIGHT * max(dot(n, RIM), 0.0);

    float rough = clamp(p3d_Material.roughness, 0.08, 1.0);
    float power = clamp(2.0 / (rough * rough * rough * rough) - 2.0, 1.0, 900.0);
    vec3 mirror = mix(vec3(0.04), base.rgb, p3d_Material.metallic);
    float smooth_ = 1.0 - rough;
    float graze = 1.0 - max(dot(n, view), 0.0);
    float edge = graze * graze * graze * graze * graze * smooth_ * smooth_ * smooth_;
    vec3 shine = (mirror + (1.0 - mirror) * edge)
        * (KEY_LIGHT * 0.7 * gloss(n, KEY, view, power) + SKY * smooth_ * smooth_ * smooth_);

    if (is_hair) {
        vec3 t = along_strand(n), h = normalize(KEY + view);
        float facing = smoothstep(-0.35, 0.60, dot(n, KEY));
        float dark = dot(base.rgb, vec3(3.0));  // strands that lie deep are painted dark and shine less
        shine = facing * KEY_LIGHT * (vec3(0.055) * sheen(normalize(t + 0.14 * n), h, 90.0)
            + base.rgb * 1.30 * sheen(normalize(t - 0.10 * n), h, 22.0)) * min(dark * 1.6 + 0.15, 1.0);
        shine += base.rgb * RIM_LIGHT * 1.6 * sheen(t, normalize(RIM + view), 14.0) * max(dot(n, RIM) + 0.2, 0.0);
    } else if (is_cloth) {
        shine = base.rgb * light * 0.55 * graze * graze * graze;  // fibres that stand off catch the light at the edge
    } else if (soft > 0.0) {
        shine += vec3(0.030) * gloss(n, KEY, view, 70.0) * 0.5;  // a little moisture on the skin
        shine += base.rgb * (SKY + RIM_LIGHT * 0.6) * 0.55 * graze * graze * graze * (0.5 + 0.5 * n.z);
    }

    vec3 lit = base.rgb * (1.0 - p3d_Material.metallic * 0.8) * light + shine + p3d_Material.emission.rgb;
    vec3 curved = lit * (1.0 + lit * 0.06) / (1.0 + lit * 0.20);  // keeps middle tones, bends what would clip
    float bright = clamp((dot(n, KEY) - kinesics_edge.x) / (kinesics_edge.y - kinesics_edge.x), 0.0, 1.0);
    vec3 drawn = base.rgb * mix(kinesics_shade.rgb, vec3(1.0), bright) + p3d_Material.emission.rgb;
    vec3 flat_or_lit = mix(mix(curved, drawn, kinesics_shade.w), base.rgb, kinesics_look.z);
    vec3 shown = encoded(clamp(flat_or_lit, 0.0, 1.0));
    color = vec4(shown, mix(1.0, base.a, kinesics_look.w)) * p3d_ColorScale;
}

#version 150
// A soft dark disc where she stands: without it she floats.
uniform vec4 p3d_ColorScale;
in vec2 place;
out vec4 color;

void main() {
    float out_from = dot(place, place);
    float dark = 0.42 * pow(max(1.0 - out_from, 0.0), 1.8);
    color = vec4(vec3(0.05, 0.05, 0.07), dark * p3d_ColorScale.a);
}

#version 150
// Her vertices arrive already posed by Panda's CPU animation. World space is Panda's: Z up.

uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;

in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec4 p3d_Color;
in vec2 p3d_MultiTexCoord0;

out vec3 world;
out vec3 normal;
out vec4 paint;
out vec2 uv;

void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    world = (p3d_ModelMatrix * p3d_Vertex).xyz;
    normal = mat3(p3d_ModelMatrix) * p3d_Normal;
    paint = p3d_Color;
    uv = p3d_MultiTexCoord0;
}

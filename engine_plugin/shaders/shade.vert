#version 150
uniform mat4 p3d_ModelViewProjectionMatrix;
in vec4 p3d_Vertex;
in vec2 p3d_MultiTexCoord0;
out vec2 place;

void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    place = p3d_MultiTexCoord0 * 2.0 - 1.0;
}

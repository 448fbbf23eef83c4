// Writes skinned positions to a buffer for reading back. Follows `skin.wgsl`; reads the vertex buffers that are drawn.

@group(0) @binding(0) var<storage, read> vertices: array<f32>;
@group(0) @binding(1) var<storage, read> influences: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<uniform> instance: vec4<u32>;

fn four_slots(at: u32) -> vec4<u32> {
    let low = influences[at];
    let high = influences[at + 1u];
    return vec4(low & 0xffffu, low >> 16u, high & 0xffffu, high >> 16u);
}

fn four_weights(at: u32) -> vec4<f32> {
    return bitcast<vec4<f32>>(vec4(influences[at], influences[at + 1u], influences[at + 2u], influences[at + 3u]));
}

@compute @workgroup_size(64)
fn positions(@builtin(global_invocation_id) id: vec3<u32>) {
    let vertex = id.x;
    if vertex >= mesh.vertices {
        return;
    }
    let v = vertex * 6u;
    let position = vec3(vertices[v], vertices[v + 1u], vertices[v + 2u]);
    let normal = vec3(vertices[v + 3u], vertices[v + 4u], vertices[v + 5u]);
    // Tangents follow all positions and normals.
    let t = mesh.vertices * 6u + vertex * 4u;
    var tangent = vec4(0.0);
    if mesh.tangents != 0u {
        tangent = vec4(vertices[t], vertices[t + 1u], vertices[t + 2u], vertices[t + 3u]);
    }
    var more_slots = vec4(0u);
    var more_weights = vec4(0.0);
    var at = vertex * 6u;
    if mesh.influences == 8u {
        at = vertex * 12u;
        more_slots = four_slots(at + 6u);
        more_weights = four_weights(at + 8u);
    }
    let slots = four_slots(at);
    let weights = four_weights(at + 2u);
    let bound = Point(position, normal, tangent, false);
    let point = skin(vertex, instance.x, bound, slots, weights, more_slots, more_weights);
    for (var i = 0u; i < 3u; i++) {
        out[v + i] = point.position[i];
        out[v + 3u + i] = point.normal[i];
    }
    if mesh.tangents != 0u {
        for (var i = 0u; i < 4u; i++) {
            out[t + i] = point.tangent[i];
        }
    }
}

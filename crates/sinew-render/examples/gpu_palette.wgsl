// A skin matrix is a `Mat3x4`: three rows of four. WGSL calls them columns, so a point stands before it.
@group(0) @binding(0) var<storage, read> palette: array<mat3x4<f32>>;
@group(0) @binding(1) var<storage, read> slots: array<u32>;
@group(0) @binding(2) var<storage, read> weights: array<f32>;
@group(0) @binding(3) var<storage, read_write> positions: array<f32>;
@compute @workgroup_size(64) fn skin(@builtin(global_invocation_id) id: vec3<u32>) {
    let v = id.x;
    if v * 3u >= arrayLength(&positions) { return; }
    let p = vec4(positions[v * 3u], positions[v * 3u + 1u], positions[v * 3u + 2u], 1.0);
    let per_vertex = arrayLength(&slots) / (arrayLength(&positions) / 3u);
    var sum = vec3(0.0);
    for (var i = v * per_vertex; i < (v + 1u) * per_vertex; i++) {
        sum += weights[i] * (p * palette[slots[i]]);
    }
    positions[v * 3u] = sum.x; positions[v * 3u + 1u] = sum.y; positions[v * 3u + 2u] = sum.z;
}

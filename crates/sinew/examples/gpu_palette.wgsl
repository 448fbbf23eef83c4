// A skin matrix is an `Affine3`: twelve floats, the three axes and the translation.
@group(0) @binding(0) var<storage, read> palette: array<array<f32, 12>>;
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
        let m = palette[slots[i]];
        sum += weights[i] * (mat4x3(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11]) * p);
    }
    positions[v * 3u] = sum.x; positions[v * 3u + 1u] = sum.y; positions[v * 3u + 2u] = sum.z;
}

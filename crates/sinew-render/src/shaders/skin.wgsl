// Morph, then linear blend: the same steps, in the same order, as `sinew::skinning::skin`.

struct MeshInfo {
    // First matrix of this mesh in the palette of an instance; matrices of an instance; scalars of an instance.
    first_slot: u32,
    slots: u32,
    scalars: u32,
    // Whether the mesh has morph targets.
    morphs: u32,
    // Whether the weights of one joint are shown instead of the material.
    heat: u32,
    // Influences of each vertex: 4 or 8.
    influences: u32,
    vertices: u32,
    // Whether vertices and morph deltas have tangents.
    tangents: u32,
}

@group(2) @binding(0) var<uniform> mesh: MeshInfo;
// Three vectors for each matrix: its four columns of three numbers, one after the other.
@group(2) @binding(1) var<storage, read> palette: array<vec4<f32>>;
@group(2) @binding(2) var<storage, read> scalars: array<f32>;
// Deltas of vertex `i` are at `morph_ranges[i] .. morph_ranges[i + 1]`.
@group(2) @binding(3) var<storage, read> morph_ranges: array<u32>;
// Two or, with tangents, three vectors for each delta: position (as bits) and scalar index; normal (as bits); tangent (as bits).
@group(2) @binding(4) var<storage, read> morph_deltas: array<vec4<u32>>;

struct Point {
    position: vec3<f32>,
    normal: vec3<f32>,
    // Sign of the bitangent in w, as if nothing were mirrored.
    tangent: vec4<f32>,
    mirrored: bool,
}

// A matrix as the palette holds it.
struct Columns {
    a: vec4<f32>,
    b: vec4<f32>,
    c: vec4<f32>,
}

struct Rows {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

fn rows(m: Columns) -> Rows {
    return Rows(
        vec4(m.a.x, m.a.w, m.b.z, m.c.y),
        vec4(m.a.y, m.b.x, m.b.w, m.c.z),
        vec4(m.a.z, m.b.y, m.c.x, m.c.w),
    );
}

fn morph(vertex: u32, instance: u32, bound: Point) -> Point {
    var point = bound;
    if mesh.morphs != 0u {
        let end = morph_ranges[vertex + 1u];
        for (var i = morph_ranges[vertex]; i < end; i++) {
            let at = (2u + mesh.tangents) * i;
            let delta = morph_deltas[at];
            let weight = scalars[instance * mesh.scalars + delta.w];
            point.position += bitcast<vec3<f32>>(delta.xyz) * weight;
            point.normal += bitcast<vec3<f32>>(morph_deltas[at + 1u].xyz) * weight;
            if mesh.tangents != 0u {
                let tangent = bitcast<vec3<f32>>(morph_deltas[at + 2u].xyz);
                point.tangent += vec4(tangent * weight, 0.0);
            }
        }
    }
    return point;
}

fn add_slots(sum: ptr<function, Columns>, instance: u32, slots: vec4<u32>, weights: vec4<f32>) {
    let base = instance * mesh.slots + mesh.first_slot;
    for (var i = 0u; i < 4u; i++) {
        // Zero weights come last.
        if weights[i] == 0.0 {
            break;
        }
        let at = 3u * (base + slots[i]);
        (*sum).a += palette[at] * weights[i];
        (*sum).b += palette[at + 1u] * weights[i];
        (*sum).c += palette[at + 2u] * weights[i];
    }
}

fn unit_or(v: vec3<f32>, fallback: vec3<f32>) -> vec3<f32> {
    let square = dot(v, v);
    if square > 1e-37 {
        return v * inverseSqrt(square);
    }
    return fallback;
}

// Transforms a point, its normal and its tangent. The normal is transformed by the cofactors, whose sign follows the handedness.
fn carry(rows: Rows, point: Point) -> Point {
    let at = vec4(point.position, 1.0);
    let position = vec3(dot(rows.x, at), dot(rows.y, at), dot(rows.z, at));
    let yz = cross(rows.y.xyz, rows.z.xyz);
    let zx = cross(rows.z.xyz, rows.x.xyz);
    let xy = cross(rows.x.xyz, rows.y.xyz);
    let mirrored = dot(rows.x.xyz, yz) < 0.0;
    let turned = vec3(dot(yz, point.normal), dot(zx, point.normal), dot(xy, point.normal));
    let normal = unit_or(select(turned, -turned, mirrored), point.normal);
    let along = point.tangent.xyz;
    let carried = vec3(dot(rows.x.xyz, along), dot(rows.y.xyz, along), dot(rows.z.xyz, along));
    let tangent = vec4(unit_or(carried, along), point.tangent.w);
    return Point(position, normal, tangent, mirrored != point.mirrored);
}

fn skin(
    vertex: u32, instance: u32, bound: Point,
    slots: vec4<u32>, weights: vec4<f32>, more_slots: vec4<u32>, more_weights: vec4<f32>,
) -> Point {
    let point = morph(vertex, instance, bound);
    if weights.x == 0.0 {
        return point;
    }
    var sum = Columns(vec4(0.0), vec4(0.0), vec4(0.0));
    add_slots(&sum, instance, slots, weights);
    if more_weights.x != 0.0 {
        add_slots(&sum, instance, more_slots, more_weights);
    }
    return carry(rows(sum), point);
}

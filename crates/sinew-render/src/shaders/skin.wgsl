// Morph, then blend, linearly or by dual quaternions: the same steps, in the same order, as `sinew::skinning::skin`.

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
    // Where in `morph_ranges` the shares of dual-quaternion blending begin, plus one; zero if all is linear.
    shares: u32,
    // Whether triangles are wound for matrices that mirror, as those of the rest pose do.
    wound_mirrored: u32,
    // Whether each triangle is flat, for want of normals.
    faceted: u32,
    pad: u32,
}

@group(2) @binding(0) var<uniform> mesh: MeshInfo;
// Three vectors for each matrix: its four columns of three numbers, one after the other.
@group(2) @binding(1) var<storage, read> palette: array<vec4<f32>>;
@group(2) @binding(2) var<storage, read> scalars: array<f32>;
// Deltas of vertex `i` are at `morph_ranges[i] .. morph_ranges[i + 1]`; behind the ranges, shares of dual-quaternion blending (as bits).
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
struct Rows {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
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

fn add_slots(sum: ptr<function, Rows>, instance: u32, slots: vec4<u32>, weights: vec4<f32>) {
    let base = instance * mesh.slots + mesh.first_slot;
    for (var i = 0u; i < 4u; i++) {
        // Zero weights come last.
        if weights[i] == 0.0 {
            break;
        }
        let at = 3u * (base + slots[i]);
        (*sum).x += palette[at] * weights[i];
        (*sum).y += palette[at + 1u] * weights[i];
        (*sum).z += palette[at + 2u] * weights[i];
    }
}

// A weighted sum of motions as dual quaternions, with the scales beside them.
struct Motion {
    real: vec4<f32>,
    dual: vec4<f32>,
    scale: vec3<f32>,
}

// The quaternion of a rotation by its columns, from the largest of its four squares.
fn quaternion(x: vec3<f32>, y: vec3<f32>, z: vec3<f32>) -> vec4<f32> {
    let skew = vec3(y.z - z.y, z.x - x.z, x.y - y.x);
    let even = vec3(y.z + z.y, z.x + x.z, x.y + y.x);
    var q: vec4<f32>;
    if z.z <= 0.0 {
        if y.y <= x.x {
            q = vec4(1.0 - z.z - y.y + x.x, even.z, even.y, skew.x);
        } else {
            q = vec4(even.z, 1.0 - z.z + y.y - x.x, even.x, skew.y);
        }
    } else if y.y + x.x <= 0.0 {
        q = vec4(even.y, even.x, 1.0 + z.z - y.y - x.x, skew.z);
    } else {
        q = vec4(skew, 1.0 + z.z + y.y + x.x);
    }
    return normalize(q);
}

fn unit_column(v: vec3<f32>, length: f32, fallback: vec3<f32>) -> vec3<f32> {
    if length == 0.0 {
        return fallback;
    }
    return v / length;
}

fn add_motion(sum: ptr<function, Motion>, m: Rows, weight: f32) {
    let x = vec3(m.x.x, m.y.x, m.z.x);
    let y = vec3(m.x.y, m.y.y, m.z.y);
    let z = vec3(m.x.z, m.y.z, m.z.z);
    let t = vec3(m.x.w, m.y.w, m.z.w);
    var scale = vec3(length(x), length(y), length(z));
    if dot(x, cross(y, z)) < 0.0 {
        scale = -scale;
    }
    let q = quaternion(
        unit_column(x, scale.x, vec3(1.0, 0.0, 0.0)),
        unit_column(y, scale.y, vec3(0.0, 1.0, 0.0)),
        unit_column(z, scale.z, vec3(0.0, 0.0, 1.0)),
    );
    let signed_weight = select(weight, -weight, dot((*sum).real, q) < 0.0);
    (*sum).real += q * signed_weight;
    (*sum).dual += vec4(t * q.w + cross(t, q.xyz), -dot(t, q.xyz)) * (0.5 * signed_weight);
    (*sum).scale += scale * weight;
}

fn add_motions(sum: ptr<function, Motion>, instance: u32, slots: vec4<u32>, weights: vec4<f32>) {
    let base = instance * mesh.slots + mesh.first_slot;
    for (var i = 0u; i < 4u; i++) {
        if weights[i] == 0.0 {
            break;
        }
        let at = 3u * (base + slots[i]);
        add_motion(sum, Rows(palette[at], palette[at + 1u], palette[at + 2u]), weights[i]);
    }
}

fn motion_rows(motion: Motion) -> Rows {
    let size = length(motion.real);
    let r = motion.real / size;
    let d = motion.dual / size;
    let t = 2.0 * (d.xyz * r.w - r.xyz * d.w + cross(r.xyz, d.xyz));
    let s = motion.scale;
    let two = 2.0 * r.xyz;
    let x = vec3(1.0 - two.y * r.y - two.z * r.z, two.x * r.y - two.z * r.w, two.x * r.z + two.y * r.w) * s;
    let y = vec3(two.x * r.y + two.z * r.w, 1.0 - two.x * r.x - two.z * r.z, two.y * r.z - two.x * r.w) * s;
    let z = vec3(two.x * r.z - two.y * r.w, two.y * r.z + two.x * r.w, 1.0 - two.x * r.x - two.y * r.y) * s;
    return Rows(vec4(x, t.x), vec4(y, t.y), vec4(z, t.z));
}

fn mixed(a: Rows, b: Rows, share: f32) -> Rows {
    return Rows(mix(a.x, b.x, share), mix(a.y, b.y, share), mix(a.z, b.z, share));
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
    var sum = Rows(vec4(0.0), vec4(0.0), vec4(0.0));
    add_slots(&sum, instance, slots, weights);
    if more_weights.x != 0.0 {
        add_slots(&sum, instance, more_slots, more_weights);
    }
    if mesh.shares == 0u {
        return carry(sum, point);
    }
    let share = bitcast<f32>(morph_ranges[mesh.shares - 1u + vertex]);
    var motion = Motion(vec4(0.0), vec4(0.0), vec3(0.0));
    add_motions(&motion, instance, slots, weights);
    if more_weights.x != 0.0 {
        add_motions(&motion, instance, more_slots, more_weights);
    }
    return carry(mixed(sum, motion_rows(motion), share), point);
}

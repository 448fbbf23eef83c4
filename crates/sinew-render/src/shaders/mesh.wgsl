// Surfaces of characters. Follows `frame.wgsl`, `skin.wgsl` and `light.wgsl`.

// How a texture is addressed: two rows of a matrix and an offset, for one of the two sets of texture coordinates.
struct Address {
    rows: vec4<f32>,
    offset: vec2<f32>,
    number: u32,
    pad: u32,
}

struct Material {
    color: vec4<f32>,
    // Emitted light; w: scale of the normal map.
    emitted: vec4<f32>,
    // Metal, roughness, strength of the occlusion map, alpha cutoff.
    factors: vec4<f32>,
    unlit: u32,
    two_sided: u32,
    // Depth offset towards the camera, for surfaces that lie on others.
    lift: f32,
    // How much light passes through.
    transmission: f32,
    // Of colour, metal and roughness, normals, occlusion, emission.
    addresses: array<Address, 5>,
}

@group(1) @binding(0) var<uniform> material: Material;
@group(1) @binding(1) var picture: texture_2d<f32>;
@group(1) @binding(2) var picture_sampler: sampler;
@group(1) @binding(3) var metal_map: texture_2d<f32>;
@group(1) @binding(4) var metal_sampler: sampler;
@group(1) @binding(5) var normal_map: texture_2d<f32>;
@group(1) @binding(6) var normal_sampler: sampler;
@group(1) @binding(7) var occlusion_map: texture_2d<f32>;
@group(1) @binding(8) var occlusion_sampler: sampler;
@group(1) @binding(9) var emission_map: texture_2d<f32>;
@group(1) @binding(10) var emission_sampler: sampler;

// What a material has beyond colour: same bits as `Features` in Rust. Known when the pipeline is made, so that plain materials cost nothing more.
override FEATURES: u32 = 0u;
const SHINES: u32 = 1u;
const METAL_MAP: u32 = 2u;
const NORMAL_MAP: u32 = 4u;
const OCCLUSION_MAP: u32 = 8u;
const EMISSION_MAP: u32 = 16u;
const TRANSMITS: u32 = 32u;

// Handling of alpha: 0 opaque, 1 alpha test, 2 opaque pixels of a blended surface, 3 its other pixels, 4 ghost.
override ALPHA: u32 = 0u;
const SOLID: f32 = 0.996;

struct Vertex {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    // Both sets of texture coordinates.
    @location(2) uvs: vec4<f32>,
    @location(3) color: vec4<f32>,
    @location(4) paint: f32,
    @builtin(vertex_index) index: u32,
}

struct Instance {
    @location(5) x: vec4<f32>,
    @location(6) y: vec4<f32>,
    @location(7) z: vec4<f32>,
    @location(8) tint: vec4<f32>,
    @location(9) index: u32,
}

struct Surface {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) color: vec4<f32>,
    @location(4) paint: f32,
    @location(5) @interpolate(flat) mirrored: u32,
    @location(6) uvs: vec4<f32>,
    @location(7) tangent: vec4<f32>,
}

fn address(texture: u32, uvs: vec4<f32>) -> vec2<f32> {
    let at = material.addresses[texture];
    let uv = select(uvs.xy, uvs.zw, at.number != 0u);
    return vec2(dot(at.rows.xy, uv), dot(at.rows.zw, uv)) + at.offset;
}

fn place(instance: Instance, point: Point) -> Point {
    return carry(Rows(instance.x, instance.y, instance.z), point);
}

fn surface(vertex: Vertex, instance: Instance, point: Point) -> Surface {
    let placed = place(instance, point);
    var out: Surface;
    out.clip = frame.view_projection * vec4(placed.position, 1.0);
    if material.lift > 0.0 {
        let towards = unit_or(frame.eye.xyz - placed.position, vec3(0.0));
        let size = length(vec3(instance.x.x, instance.y.x, instance.z.x));
        let lifted = frame.view_projection * vec4(placed.position + towards * (material.lift * size), 1.0);
        // Only the depth is offset; the position in the picture stays.
        out.clip.z = lifted.z / lifted.w * out.clip.w;
    }
    out.world = placed.position;
    out.normal = placed.normal;
    out.uv = address(0u, vertex.uvs);
    out.uvs = vertex.uvs;
    // Under a mirroring matrix the bitangent points the other way.
    out.tangent = vec4(placed.tangent.xyz, select(placed.tangent.w, -placed.tangent.w, placed.mirrored));
    out.color = vertex.color * instance.tint;
    out.paint = vertex.paint;
    out.mirrored = u32(placed.mirrored != (mesh.wound_mirrored != 0u));
    return out;
}

fn shade(vertex: Vertex, instance: Instance, point: Point) -> Shade {
    // Projected along the light onto the ground, then into the square that the shadow texture covers.
    let at = place(instance, point).position;
    let height = at.y - frame.shadow.w;
    let hit = at.xz - frame.light.xz * (height / max(frame.light.y, 0.1));
    let square = (hit - frame.shadow.xy) / frame.shadow.z;
    let clip = vec4(square.x, -square.y, 0.5, 1.0);
    return Shade(clip, height / frame.viewport.w, address(0u, vertex.uvs), vertex.color.a * instance.tint.a);
}

// Skinned on the CPU. A normal of length two marks vertices under a mirroring matrix.
fn skinned(vertex: Vertex, tangent: vec4<f32>) -> Point {
    return Point(vertex.position, vertex.normal, tangent, dot(vertex.normal, vertex.normal) > 2.0);
}

fn bound(vertex: Vertex, tangent: vec4<f32>) -> Point {
    return Point(vertex.position, vertex.normal, tangent, false);
}

const NONE: vec4<f32> = vec4<f32>(0.0);

@vertex
fn plain(vertex: Vertex, instance: Instance) -> Surface {
    return surface(vertex, instance, skinned(vertex, NONE));
}

@vertex
fn plain_tangent(vertex: Vertex, instance: Instance, @location(14) tangent: vec4<f32>) -> Surface {
    return surface(vertex, instance, skinned(vertex, tangent));
}

@vertex
fn four(
    vertex: Vertex, instance: Instance, @location(10) slots: vec4<u32>, @location(11) weights: vec4<f32>,
) -> Surface {
    let point = skin(vertex.index, instance.index, bound(vertex, NONE), slots, weights, vec4(0u), NONE);
    return surface(vertex, instance, point);
}

@vertex
fn four_tangent(
    vertex: Vertex, instance: Instance, @location(10) slots: vec4<u32>, @location(11) weights: vec4<f32>,
    @location(14) tangent: vec4<f32>,
) -> Surface {
    let point = skin(vertex.index, instance.index, bound(vertex, tangent), slots, weights, vec4(0u), NONE);
    return surface(vertex, instance, point);
}

@vertex
fn eight(
    vertex: Vertex, instance: Instance, @location(10) slots: vec4<u32>, @location(11) weights: vec4<f32>,
    @location(12) more_slots: vec4<u32>, @location(13) more_weights: vec4<f32>,
) -> Surface {
    let point =
        skin(vertex.index, instance.index, bound(vertex, NONE), slots, weights, more_slots, more_weights);
    return surface(vertex, instance, point);
}

@vertex
fn eight_tangent(
    vertex: Vertex, instance: Instance, @location(10) slots: vec4<u32>, @location(11) weights: vec4<f32>,
    @location(12) more_slots: vec4<u32>, @location(13) more_weights: vec4<f32>, @location(14) tangent: vec4<f32>,
) -> Surface {
    let point =
        skin(vertex.index, instance.index, bound(vertex, tangent), slots, weights, more_slots, more_weights);
    return surface(vertex, instance, point);
}

struct Shade {
    @builtin(position) clip: vec4<f32>,
    @location(0) height: f32,
    @location(1) uv: vec2<f32>,
    @location(2) alpha: f32,
}

@vertex
fn plain_shade(vertex: Vertex, instance: Instance) -> Shade {
    return shade(vertex, instance, skinned(vertex, NONE));
}

@vertex
fn four_shade(
    vertex: Vertex, instance: Instance, @location(10) slots: vec4<u32>, @location(11) weights: vec4<f32>,
) -> Shade {
    let point = skin(vertex.index, instance.index, bound(vertex, NONE), slots, weights, vec4(0u), NONE);
    return shade(vertex, instance, point);
}

@vertex
fn eight_shade(
    vertex: Vertex, instance: Instance, @location(10) slots: vec4<u32>, @location(11) weights: vec4<f32>,
    @location(12) more_slots: vec4<u32>, @location(13) more_weights: vec4<f32>,
) -> Shade {
    let point =
        skin(vertex.index, instance.index, bound(vertex, NONE), slots, weights, more_slots, more_weights);
    return shade(vertex, instance, point);
}

// The shadow is darkest near the ground; below the ground or far above there is none.
@fragment
fn shadow(in: Shade) -> @location(0) vec4<f32> {
    // Transparent pixels cast no shadow.
    let alpha = material.color.a * in.alpha * textureSample(picture, picture_sampler, in.uv).a;
    if alpha < material.factors.w {
        discard;
    }
    let near = clamp(1.0 - in.height, 0.0, 1.0);
    let above = smoothstep(-0.1, 0.0, in.height);
    return vec4(near * sqrt(near) * above, 0.0, 0.0, 1.0);
}

// Black through blue, green and yellow to red.
fn heat(weight: f32) -> vec3<f32> {
    let w = clamp(weight, 0.0, 1.0);
    if w == 0.0 {
        return vec3(0.16, 0.17, 0.20);
    }
    let cold = vec3(0.05, 0.10, 0.60);
    let cool = vec3(0.00, 0.55, 0.55);
    let mild = vec3(0.15, 0.65, 0.08);
    let warm = vec3(0.95, 0.62, 0.02);
    let hot = vec3(0.85, 0.03, 0.02);
    var color = mix(cold, cool, clamp(w * 4.0, 0.0, 1.0));
    color = mix(color, mild, clamp(w * 4.0 - 1.0, 0.0, 1.0));
    color = mix(color, warm, clamp(w * 4.0 - 2.0, 0.0, 1.0));
    return mix(color, hot, clamp(w * 4.0 - 3.0, 0.0, 1.0));
}

// The normal of the normal map; `along` is that of the surface.
fn bumped(in: Surface, along: vec3<f32>) -> vec3<f32> {
    let texel = textureSample(normal_map, normal_sampler, address(2u, in.uvs)).xyz * 2.0 - 1.0;
    // Tangents run along the texture coordinates of the mesh; a map that is turned on them is turned back.
    let rows = material.addresses[2].rows;
    let facing = sign(rows.x * rows.w - rows.y * rows.z);
    var turned = texel.xy;
    if facing != 0.0 {
        turned = facing * (normalize(rows.wz) * texel.x + normalize(rows.yx) * texel.y);
    }
    let bump = vec3(turned * material.emitted.w, texel.z);
    let across = cross(in.normal, in.tangent.xyz) * in.tangent.w;
    return unit_or(in.tangent.xyz * bump.x + across * bump.y + in.normal * bump.z, along);
}

fn shine(in: Surface, albedo: vec3<f32>) -> Shine {
    var shine = Shine(albedo, material.factors.x, material.factors.y, 1.0, material.emitted.rgb, 0.0);
    if (FEATURES & TRANSMITS) != 0u {
        shine.transmission = material.transmission;
    }
    if (FEATURES & METAL_MAP) != 0u {
        let texel = textureSample(metal_map, metal_sampler, address(1u, in.uvs));
        shine.metallic *= texel.b;
        shine.roughness *= texel.g;
    }
    if (FEATURES & OCCLUSION_MAP) != 0u {
        let texel = textureSample(occlusion_map, occlusion_sampler, address(3u, in.uvs));
        shine.occlusion = 1.0 + material.factors.z * (texel.r - 1.0);
    }
    if (FEATURES & EMISSION_MAP) != 0u {
        shine.emitted *= textureSample(emission_map, emission_sampler, address(4u, in.uvs)).rgb;
    }
    return shine;
}

@fragment
fn material_color(in: Surface, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    // All textures are read before any pixel is discarded.
    let color = material.color * in.color * textureSample(picture, picture_sampler, in.uv);
    let to_eye = unit_or(frame.eye.xyz - in.world, vec3(0.0, 0.0, 1.0));
    let outside = front != (in.mirrored != 0u);
    var along = unit_or(in.normal, to_eye);
    if mesh.faceted != 0u {
        let face = unit_or(cross(dpdx(in.world), dpdy(in.world)), to_eye);
        along = select(-face, face, (dot(face, to_eye) > 0.0) == outside);
    }
    var bent = along;
    if (FEATURES & NORMAL_MAP) != 0u {
        bent = bumped(in, along);
    }
    var look: Shine;
    if (FEATURES & SHINES) != 0u {
        look = shine(in, color.rgb);
    }
    if !outside && material.two_sided == 0u {
        discard;
    }
    let normal = select(-bent, bent, outside);
    if ALPHA == 4u {
        let edge = pow(1.0 - abs(dot(normal, to_eye)), 1.5);
        return finish(vec3(0.10, 0.32, 0.75), 0.14 + 0.45 * edge);
    }
    if ALPHA == 1u && color.a < material.factors.w {
        discard;
    }
    let glass = (FEATURES & TRANSMITS) != 0u;
    if ALPHA == 2u && (glass || color.a < SOLID) {
        discard;
    }
    if ALPHA == 3u && !glass && (color.a >= SOLID || color.a < 0.004) {
        discard;
    }
    // Alpha of glass that is otherwise opaque means nothing; its cutoff is zero.
    let alpha = select(1.0, color.a, ALPHA == 3u && !(glass && material.factors.w == 0.0));
    if mesh.heat != 0u {
        return finish(lit(heat(in.paint), normal, to_eye), alpha);
    }
    if material.unlit != 0u {
        return finish(color.rgb, alpha);
    }
    if (FEATURES & SHINES) != 0u {
        let shone = shining(look, normal, to_eye);
        return through(shone.rgb, alpha, shone.a);
    }
    return finish(lit(color.rgb, normal, to_eye), alpha);
}

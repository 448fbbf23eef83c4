// Surfaces of characters. Follows `frame.wgsl` and `skin.wgsl`.

struct Material {
    color: vec4<f32>,
    cutoff: f32,
    unlit: u32,
    two_sided: u32,
    // Depth offset towards the camera, for surfaces that lie on others.
    lift: f32,
}

@group(1) @binding(0) var<uniform> material: Material;
@group(1) @binding(1) var picture: texture_2d<f32>;
@group(1) @binding(2) var picture_sampler: sampler;

// Handling of alpha: 0 opaque, 1 alpha test, 2 opaque pixels of a blended surface, 3 its other pixels, 4 ghost.
override ALPHA: u32 = 0u;
const SOLID: f32 = 0.996;

struct Vertex {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
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
    out.uv = vertex.uv;
    out.color = vertex.color * instance.tint;
    out.paint = vertex.paint;
    out.mirrored = u32(placed.mirrored);
    return out;
}

fn shade(vertex: Vertex, instance: Instance, point: Point) -> Shade {
    // Projected along the light onto the ground, then into the square that the shadow texture covers.
    let at = place(instance, point).position;
    let height = at.y - frame.shadow.w;
    let hit = at.xz - frame.light.xz * (height / max(frame.light.y, 0.1));
    let square = (hit - frame.shadow.xy) / frame.shadow.z;
    let clip = vec4(square.x, -square.y, 0.5, 1.0);
    return Shade(clip, height / frame.viewport.w, vertex.uv, vertex.color.a * instance.tint.a);
}

// Skinned on the CPU. A normal of length two marks vertices under a mirroring matrix.
fn skinned(vertex: Vertex) -> Point {
    return Point(vertex.position, vertex.normal, dot(vertex.normal, vertex.normal) > 2.0);
}

@vertex
fn plain(vertex: Vertex, instance: Instance) -> Surface {
    return surface(vertex, instance, skinned(vertex));
}

@vertex
fn four(
    vertex: Vertex, instance: Instance, @location(10) slots: vec4<u32>, @location(11) weights: vec4<f32>,
) -> Surface {
    let point = skin(vertex.index, instance.index, vertex.position, vertex.normal, slots, weights, vec4(0u), vec4(0.0));
    return surface(vertex, instance, point);
}

@vertex
fn eight(
    vertex: Vertex, instance: Instance, @location(10) slots: vec4<u32>, @location(11) weights: vec4<f32>,
    @location(12) more_slots: vec4<u32>, @location(13) more_weights: vec4<f32>,
) -> Surface {
    let point =
        skin(vertex.index, instance.index, vertex.position, vertex.normal, slots, weights, more_slots, more_weights);
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
    return shade(vertex, instance, skinned(vertex));
}

@vertex
fn four_shade(
    vertex: Vertex, instance: Instance, @location(10) slots: vec4<u32>, @location(11) weights: vec4<f32>,
) -> Shade {
    let point = skin(vertex.index, instance.index, vertex.position, vertex.normal, slots, weights, vec4(0u), vec4(0.0));
    return shade(vertex, instance, point);
}

@vertex
fn eight_shade(
    vertex: Vertex, instance: Instance, @location(10) slots: vec4<u32>, @location(11) weights: vec4<f32>,
    @location(12) more_slots: vec4<u32>, @location(13) more_weights: vec4<f32>,
) -> Shade {
    let point =
        skin(vertex.index, instance.index, vertex.position, vertex.normal, slots, weights, more_slots, more_weights);
    return shade(vertex, instance, point);
}

// The shadow is darkest near the ground; below the ground or far above there is none.
@fragment
fn shadow(in: Shade) -> @location(0) vec4<f32> {
    // Transparent pixels cast no shadow.
    let alpha = material.color.a * in.alpha * textureSample(picture, picture_sampler, in.uv).a;
    if alpha < material.cutoff {
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

// Tone mapping: bright colours approach white without clipping, so that white surfaces keep their shading.
fn soften(light: vec3<f32>) -> vec3<f32> {
    let knee = vec3(0.6);
    let above = knee + (1.0 - knee) * (1.0 - exp(-max(light - knee, vec3(0.0)) / (1.0 - knee)));
    return select(light, above, light > knee);
}

// Hemisphere light, one soft directional light, and a rim light at upper edges that separates the figure from the background.
fn lit(albedo: vec3<f32>, normal: vec3<f32>, to_eye: vec3<f32>) -> vec3<f32> {
    let up = normal.y * 0.5 + 0.5;
    let around = mix(frame.soil.rgb, frame.sky.rgb, up);
    // Wrapped diffuse light.
    let facing = max((dot(normal, frame.light.xyz) + 0.25) / 1.25, 0.0);
    let lamp = vec3(1.0, 0.965, 0.91) * frame.light.w * facing * facing;
    let edge = pow(1.0 - clamp(dot(normal, to_eye), 0.0, 1.0), 4.0) * up;
    return soften(albedo * (around + lamp) + frame.sky.rgb * edge * (0.02 + 0.16 * albedo));
}

@fragment
fn material_color(in: Surface, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let texel = textureSample(picture, picture_sampler, in.uv);
    let outside = front != (in.mirrored != 0u);
    if !outside && material.two_sided == 0u {
        discard;
    }
    let to_eye = unit_or(frame.eye.xyz - in.world, vec3(0.0, 0.0, 1.0));
    let along = unit_or(in.normal, to_eye);
    let normal = select(-along, along, outside);
    if ALPHA == 4u {
        let edge = pow(1.0 - abs(dot(normal, to_eye)), 1.5);
        return finish(vec3(0.10, 0.32, 0.75), 0.14 + 0.45 * edge);
    }
    let color = material.color * in.color * texel;
    if ALPHA == 1u && color.a < material.cutoff {
        discard;
    }
    if ALPHA == 2u && color.a < SOLID {
        discard;
    }
    if ALPHA == 3u && (color.a >= SOLID || color.a < 0.004) {
        discard;
    }
    let alpha = select(1.0, color.a, ALPHA == 3u);
    if mesh.heat != 0u {
        return finish(lit(heat(in.paint), normal, to_eye), alpha);
    }
    if material.unlit != 0u {
        return finish(color.rgb, alpha);
    }
    return finish(lit(color.rgb, normal, to_eye), alpha);
}

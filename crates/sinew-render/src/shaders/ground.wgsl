// Background, ground grid, and the soft shadow on the ground. Follows `frame.wgsl`.

@group(1) @binding(0) var shade: texture_2d<f32>;
@group(1) @binding(1) var shade_sampler: sampler;

struct Cover {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

// One triangle that covers the picture.
@vertex
fn cover(@builtin(vertex_index) index: u32) -> Cover {
    let at = vec2(f32((index << 1u) & 2u), f32(index & 2u));
    return Cover(vec4(at * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0), at);
}

@fragment
fn background(in: Cover) -> @location(0) vec4<f32> {
    let color = mix(frame.top, frame.bottom, smoothstep(0.0, 1.0, in.uv.y));
    if frame.eye.w > 0.5 {
        return vec4(encode(color.rgb), color.a);
    }
    return color;
}

// Gaussian blur along one axis.
fn blur(uv: vec2<f32>, step: vec2<f32>) -> vec4<f32> {
    var sum = 0.0;
    var weights = 0.0;
    for (var i = -6; i <= 6; i++) {
        let weight = exp(-f32(i * i) / 14.0);
        sum += weight * textureSampleLevel(shade, shade_sampler, uv + step * f32(i), 0.0).r;
        weights += weight;
    }
    return vec4(sum / weights, 0.0, 0.0, 1.0);
}

@fragment
fn blur_across(in: Cover) -> @location(0) vec4<f32> {
    return blur(in.uv, vec2(1.0 / f32(textureDimensions(shade).x), 0.0));
}

@fragment
fn blur_down(in: Cover) -> @location(0) vec4<f32> {
    return blur(in.uv, vec2(0.0, 1.0 / f32(textureDimensions(shade).y)));
}

struct Ground {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec2<f32>,
}

@vertex
fn ground(@builtin(vertex_index) index: u32) -> Ground {
    let corner = vec2(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    let at = frame.grid.xy + corner * frame.grid.z;
    var clip = frame.view_projection * vec4(at.x, frame.shadow.w, at.y, 1.0);
    // It has the depth of a plane a little farther away, so that it never covers a floor of the model at the same height. Depth is inversely
    // proportional to the distance, and distances to parallel planes to their heights.
    let height = abs(frame.eye.y - frame.shadow.w);
    clip.z *= height / (height + frame.grid.z * 0.003);
    return Ground(clip, at);
}

// How much of a pixel the lines of a grid cover.
fn lines(at: vec2<f32>, distance: f32) -> f32 {
    let p = at / distance;
    let pixel = max(fwidth(p), vec2(1e-6));
    let off = abs(fract(p - 0.5) - 0.5) / pixel;
    let covered = clamp(1.2 - off, vec2(0.0), vec2(1.0));
    // Lines closer than a few pixels would alias: they fade to an even tone.
    let sparse = clamp(1.0 - pixel * 2.5, vec2(0.0), vec2(1.0));
    let shown = covered * sparse;
    return max(shown.x, shown.y);
}

@fragment
fn ground_color(in: Ground) -> @location(0) vec4<f32> {
    let far = length(in.at - frame.grid.xy) / frame.grid.z;
    let sight = pow(clamp(1.0 - far, 0.0, 1.0), 1.5);
    let fine = lines(in.at, frame.grid.w) * 0.45;
    let coarse = lines(in.at, frame.grid.w * 5.0);
    let line = max(fine, coarse) * frame.line.a * sight;
    let uv = (in.at - frame.shadow.xy) / frame.shadow.z * 0.5 + 0.5;
    let inside = step(max(abs(uv.x - 0.5), abs(uv.y - 0.5)), 0.5);
    let dark = textureSampleLevel(shade, shade_sampler, uv, 0.0).r * inside * frame.sky.w;
    let alpha = 1.0 - (1.0 - line) * (1.0 - dark);
    let color = frame.line.rgb * line * (1.0 - dark) / max(alpha, 1e-4);
    return finish(color, alpha);
}

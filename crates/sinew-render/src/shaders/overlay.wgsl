// Lines, dots and text over the picture. Follows `frame.wgsl`.

@group(1) @binding(0) var glyphs: texture_2d<f32>;

struct Line {
    @location(0) from_: vec4<f32>,
    @location(1) to: vec4<f32>,
    @location(2) color: vec4<f32>,
}

struct Stroke {
    @builtin(position) clip: vec4<f32>,
    // Position in the picture and 1, both multiplied by w, so that the quotient interpolates linearly in screen space.
    @location(0) at: vec3<f32>,
    @location(1) @interpolate(flat) ends: vec4<f32>,
    @location(2) @interpolate(flat) radii: vec2<f32>,
    @location(3) color: vec4<f32>,
}

// Clips a line to the part in front of the camera.
fn in_front(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    let least = 1e-4;
    if a.w >= least || b.w <= a.w {
        return a;
    }
    return mix(a, b, clamp((least - a.w) / (b.w - a.w), 0.0, 1.0));
}

fn pixels(clip: vec4<f32>) -> vec2<f32> {
    return (clip.xy / max(clip.w, 1e-4) * vec2(0.5, -0.5) + 0.5) * frame.viewport.xy;
}

// A line between two points, with a radius in pixels at each end (w). Equal ends make a dot.
@vertex
fn stroke(line: Line, @builtin(vertex_index) index: u32) -> Stroke {
    let a_whole = frame.view_projection * vec4(line.from_.xyz, 1.0);
    let b_whole = frame.view_projection * vec4(line.to.xyz, 1.0);
    let a = in_front(a_whole, b_whole);
    let b = in_front(b_whole, a_whole);
    let pa = pixels(a);
    let pb = pixels(b);
    let radii = vec2(line.from_.w, line.to.w) * frame.viewport.z;
    let way = pb - pa;
    let length = length(way);
    let along = select(vec2(1.0, 0.0), way / max(length, 1e-6), length > 1e-6);
    let across = vec2(-along.y, along.x);
    let reach = max(radii.x, radii.y) + 1.0;
    let at_b = (index & 1u) == 1u;
    let side = select(-1.0, 1.0, index >= 2u);
    let from_ = select(pa - along * reach, pb + along * reach, at_b);
    let at = from_ + across * side * reach;
    let end = select(a, b, at_b);
    var out: Stroke;
    let ndc = (at / frame.viewport.xy - 0.5) * vec2(2.0, -2.0);
    out.clip = vec4(ndc * end.w, end.z, end.w);
    if end.w < 1e-4 {
        out.clip = vec4(0.0, 0.0, 2.0, 1.0);
    }
    out.at = vec3(at, 1.0) * end.w;
    out.ends = vec4(pa, pb);
    out.radii = radii;
    out.color = line.color;
    return out;
}

@fragment
fn stroke_color(in: Stroke) -> @location(0) vec4<f32> {
    let at = in.at.xy / in.at.z;
    let way = in.ends.zw - in.ends.xy;
    let t = clamp(dot(at - in.ends.xy, way) / max(dot(way, way), 1e-6), 0.0, 1.0);
    let radius = mix(in.radii.x, in.radii.y, t);
    let distance = length(at - in.ends.xy - way * t);
    let alpha = clamp(radius + 0.5 - distance, 0.0, 1.0) * in.color.a;
    if alpha <= 0.0 {
        discard;
    }
    return finish(in.color.rgb, alpha);
}

struct Glyph {
    // World position of the text; w: glyph index.
    @location(0) anchor: vec4<f32>,
    // Offset of the upper left corner in font pixels, and size of a font pixel.
    @location(1) offset: vec4<f32>,
    @location(2) color: vec4<f32>,
}

struct Ink {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec2<f32>,
    @location(1) color: vec4<f32>,
}

// Cells of the atlas, and how many are in a row: the same as in `font/atlas.rs`.
const CELL: vec2<f32> = vec2(16.0, 16.0);
const COLUMNS: u32 = 32u;

@vertex
fn glyph(glyph: Glyph, @builtin(vertex_index) index: u32) -> Ink {
    let corner = vec2(f32(index & 1u), f32(index >> 1u));
    let anchor = frame.view_projection * vec4(glyph.anchor.xyz, 1.0);
    // Snapped to whole pixels, so that letters are sharp.
    let size = max(round(glyph.offset.z * frame.viewport.z), 1.0);
    let at = round(pixels(anchor)) + (glyph.offset.xy + corner * CELL) * size;
    let number = u32(glyph.anchor.w);
    var out: Ink;
    out.clip = vec4((at / frame.viewport.xy - 0.5) * vec2(2.0, -2.0), 0.5, 1.0);
    if anchor.w < 1e-4 {
        out.clip = vec4(0.0, 0.0, 2.0, 1.0);
    }
    out.at = (vec2(f32(number % COLUMNS), f32(number / COLUMNS)) + corner) * CELL;
    out.color = glyph.color;
    return out;
}

@fragment
fn glyph_color(in: Ink) -> @location(0) vec4<f32> {
    let size = textureDimensions(glyphs);
    let texel = textureLoad(glyphs, min(vec2<u32>(in.at), size - 1u), 0);
    // The letter, and a halo that separates it from the background.
    let letter = texel.r;
    let halo = texel.g * (1.0 - letter) * 0.75;
    let alpha = (letter + halo) * in.color.a;
    if alpha <= 0.0 {
        discard;
    }
    let contrast = select(vec3(0.0), vec3(1.0), dot(in.color.rgb, vec3(0.2, 0.7, 0.1)) < 0.25);
    return finish(mix(contrast, in.color.rgb, letter), alpha);
}

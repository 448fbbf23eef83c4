// Uniforms of a picture. Same layout as `FrameUniform` in Rust.

struct Frame {
    view_projection: mat4x4<f32>,
    // Camera position; w: 1 if the shader must encode sRGB, because the texture format does not.
    eye: vec4<f32>,
    // Direction towards the light; w: intensity.
    light: vec4<f32>,
    // Ambient light from above and from below; w of the first: opacity of the ground shadow.
    sky: vec4<f32>,
    soil: vec4<f32>,
    // Background, premultiplied, at the top and at the bottom of the picture.
    top: vec4<f32>,
    bottom: vec4<f32>,
    // Grid: centre x and z, radius, distance between lines.
    grid: vec4<f32>,
    // Colour of the grid's lines; w: their opacity.
    line: vec4<f32>,
    // Square of the ground that the shadow texture covers: centre x and z, half of its side; w: height of the ground.
    shadow: vec4<f32>,
    // Size of the picture in pixels; scale of lines and text; height at which a shadow has faded out.
    viewport: vec4<f32>,
}

@group(0) @binding(0) var<uniform> frame: Frame;

fn encode(linear: vec3<f32>) -> vec3<f32> {
    let low = linear * 12.92;
    let high = 1.055 * pow(max(linear, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055;
    return select(high, low, linear <= vec3(0.0031308));
}

// The output colour: premultiplied, and sRGB-encoded if the texture format does not do it.
fn finish(color: vec3<f32>, alpha: f32) -> vec4<f32> {
    return through(color, alpha, 0.0);
}

// The same for a surface through which a share of the light from behind passes, beside what it reflects itself.
fn through(color: vec3<f32>, alpha: f32, share: f32) -> vec4<f32> {
    let clamped = clamp(color, vec3(0.0), vec3(1.0));
    if frame.eye.w > 0.5 {
        return vec4(encode(clamped) * alpha, alpha * (1.0 - share));
    }
    return vec4(clamped * alpha, alpha * (1.0 - share));
}

// What every picture is drawn with. Laid out as `FrameUniform` in Rust.

struct Frame {
    view_projection: mat4x4<f32>,
    // Where the eye is; w: 1 where the target does not encode sRGB by itself.
    eye: vec4<f32>,
    // Towards the light; w: strength of the light.
    light: vec4<f32>,
    // Light from above and from below; w of the first: how dark the ground shadow is.
    sky: vec4<f32>,
    soil: vec4<f32>,
    // Background, premultiplied, at the top and at the bottom of the picture.
    top: vec4<f32>,
    bottom: vec4<f32>,
    // Grid: middle x and z, radius of sight, distance between lines.
    grid: vec4<f32>,
    // Colour of the grid's lines; w: their opacity.
    line: vec4<f32>,
    // Square of the ground that the shadow picture covers: middle x and z, half its side; w: height of the ground.
    shadow: vec4<f32>,
    // Size of the picture in pixels; size of a pixel of text and lines; height at which a shadow has faded.
    viewport: vec4<f32>,
}

@group(0) @binding(0) var<uniform> frame: Frame;

fn encode(linear: vec3<f32>) -> vec3<f32> {
    let low = linear * 12.92;
    let high = 1.055 * pow(max(linear, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055;
    return select(high, low, linear <= vec3(0.0031308));
}

// The colour as the target wants it: premultiplied, and encoded where the target does not do that.
fn finish(color: vec3<f32>, alpha: f32) -> vec4<f32> {
    let clamped = clamp(color, vec3(0.0), vec3(1.0));
    if frame.eye.w > 0.5 {
        return vec4(encode(clamped) * alpha, alpha);
    }
    return vec4(clamped * alpha, alpha);
}

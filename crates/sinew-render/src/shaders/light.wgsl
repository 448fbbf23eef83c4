// Light and reflection. Follows `frame.wgsl` and `skin.wgsl`. `environment.rs` holds the same surroundings for roughness 0.

const LAMP: vec3<f32> = vec3<f32>(1.0, 0.965, 0.91);

// Tone mapping: bright colours approach white without clipping, so that white surfaces keep their shading.
fn soften(light: vec3<f32>) -> vec3<f32> {
    let knee = vec3(0.6);
    let above = knee + (1.0 - knee) * (1.0 - exp(-max(light - knee, vec3(0.0)) / (1.0 - knee)));
    return select(light, above, light > knee);
}

// Light that falls on a surface: from sky and ground, and from one soft lamp (wrapped diffuse light).
fn arriving(normal: vec3<f32>) -> vec3<f32> {
    let around = mix(frame.soil.rgb, frame.sky.rgb, normal.y * 0.5 + 0.5);
    let facing = max((dot(normal, frame.light.xyz) + 0.25) / 1.25, 0.0);
    return around + LAMP * frame.light.w * facing * facing;
}

// A rim light at upper edges, which separates the figure from the background.
fn rim(albedo: vec3<f32>, normal: vec3<f32>, to_eye: vec3<f32>) -> vec3<f32> {
    let edge = pow(1.0 - clamp(dot(normal, to_eye), 0.0, 1.0), 4.0) * (normal.y * 0.5 + 0.5);
    return frame.sky.rgb * edge * (0.02 + 0.16 * albedo);
}

// A matt surface.
fn lit(albedo: vec3<f32>, normal: vec3<f32>, to_eye: vec3<f32>) -> vec3<f32> {
    return soften(albedo * arriving(normal) + rim(albedo, normal, to_eye));
}

// What a surface reflects from a direction: the surroundings blurred by a GGX lobe of its roughness. The widths are fitted to the integrals of
// the step at the horizon and of the lamp, a spherical Gaussian.
fn reflected(direction: vec3<f32>, roughness: f32) -> vec3<f32> {
    let y = direction.y;
    let soft = 0.03 + roughness * roughness * (2.25 - 1.5 * roughness);
    let around = mix(frame.soil.rgb, frame.sky.rgb, 0.5 + 0.5 * y * inverseSqrt(y * y + soft * soft));
    let sharp = 1.0 / (0.05 + roughness * roughness * roughness * (1.35 - 0.88 * roughness));
    let lobe = 0.475 * sharp / (1.0 - exp(-2.0 * sharp)) * exp(sharp * (dot(direction, frame.light.xyz) - 1.0));
    return around + LAMP * frame.light.w * lobe;
}

struct Shine {
    albedo: vec3<f32>,
    metallic: f32,
    roughness: f32,
    occlusion: f32,
    emitted: vec3<f32>,
    transmission: f32,
}

// Metal and roughness: reflection by the split-sum approximation with an analytic fit of GGX, Smith and Schlick, and with the light that is
// scattered several times between micro-facets. The last number is the share of the light from behind that passes through; it is not refracted, and
// has the brightness of the surface's colour, not its tint.
fn shining(shine: Shine, normal: vec3<f32>, to_eye: vec3<f32>) -> vec4<f32> {
    let roughness = clamp(shine.roughness, 0.045, 1.0);
    let facing = clamp(dot(normal, to_eye), 0.001, 1.0);
    let f0 = mix(vec3(0.04), shine.albedo, shine.metallic);
    let fit = roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
    let grazing = min(fit.x * fit.x, exp2(-9.28 * facing)) * fit.x + fit.y;
    let scale = max(vec2(-1.04, 1.04) * grazing + fit.zw, vec2(0.0));
    let once = f0 * scale.x + scale.y;
    let lost = 1.0 - (scale.x + scale.y);
    let average = f0 + (1.0 - f0) / 21.0;
    let again = once * average / (1.0 - lost * average) * lost;
    // A fully rough dielectric has the light of a matt surface alone.
    let matt = roughness * roughness * roughness * roughness;
    let share = mix(1.0 - matt * matt, 1.0, shine.metallic);
    let open = shine.occlusion;
    let seen = clamp(pow(facing + open, exp2(-16.0 * roughness - 1.0)) - 1.0 + open, 0.0, 1.0);
    let light = arriving(normal) * open;
    let mirror = reflect(-to_eye, normal);
    let reflection = share * (once * reflected(mirror, roughness) * seen + again * light);
    let inside = shine.albedo * (1.0 - shine.metallic) * (1.0 - share * (once + again));
    let diffuse = inside * light * (1.0 - shine.transmission);
    let edge = rim(shine.albedo, normal, to_eye) * shine.roughness * (1.0 - shine.metallic) * open;
    let passing = dot(inside, vec3(0.2126, 0.7152, 0.0722)) * shine.transmission;
    return vec4(soften(diffuse + reflection + edge + shine.emitted), passing);
}

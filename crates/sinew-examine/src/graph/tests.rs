use super::layout::{label_width, layout};
use super::*;
use sinew::machine::{Layer, Parameter};

fn definition() -> Definition {
    let body = Graph::new("Ground")
        .state(State::clip("Ground", "Idle"))
        .state(State::machine("Air", "air"))
        .state(State::clip("Hit", "a \"<clip>\" & more"))
        .transition(Transition::from_any("Hit").when("speed < 1"))
        .transition(Transition::new("Hit", "Ground").after(1.0).fade(0.2))
        .transition(Transition::new("Ground", "Air").when("speed > 3").inertial(0.15))
        .transition(Transition::new("Air", "Ground").when("speed <= 3"))
        .transition(Transition::new("Hit", "Hit").when("speed > 9"));
    let air = Graph::new("Rise").state(State::clip("Rise", "Jump"));
    Definition::new()
        .parameter(Parameter::number("speed", 0.0))
        .layer(Layer::new("body", body))
        .machine("air", air)
}

#[test]
fn no_label_covers_a_box_or_another_label() {
    for panel in panels(&definition()) {
        let layout = layout(&panel);
        let labels = layout.curves.iter().zip(&panel.arrows).map(|(curve, arrow)| {
            let width = label_width(&arrow.label);
            [curve.label[0] - width / 2.0, curve.label[1] - 8.0, width, 16.0]
        });
        let all: Vec<[f32; 4]> = labels.chain(layout.boxes.iter().copied()).collect();
        for (i, a) in all.iter().enumerate() {
            assert!(a[0] >= 0.0 && a[1] >= 0.0, "{a:?}");
            assert!(
                a[0] + a[2] <= layout.size[0] && a[1] + a[3] <= layout.size[1],
                "{a:?} of {:?}",
                layout.size
            );
            for b in &all[..i] {
                let apart =
                    a[0] >= b[0] + b[2] || b[0] >= a[0] + a[2] || a[1] >= b[1] + b[3] || b[1] >= a[1] + a[3];
                assert!(apart, "{a:?} {b:?}");
            }
        }
    }
}

#[test]
fn everything_is_in_both_pictures_and_nothing_breaks_out_of_its_quotes() {
    let machine = definition().build().unwrap();
    let (dot, svg) = (dot(&machine), svg(&machine));
    for text in ["layer body", "machine air", "Ground", "Rise", "any", "after 1 · 0.2 s"] {
        assert!(dot.contains(text) && svg.contains(text), "{text}");
    }
    assert!(svg.contains("clip a &quot;&lt;clip&gt;&quot; &amp; more"));
    assert!(dot.contains("clip a \\\"<clip>\\\" & more"));
    // Five transitions, of which one leaves any: five arrows.
    assert_eq!((dot.matches(" -> ").count(), svg.matches("marker-end").count()), (5, 5));
    assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
}

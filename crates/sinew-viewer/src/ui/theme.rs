//! Colours and spacing, dark and light.

use eframe::egui::{
    Color32, Context, CornerRadius, FontFamily, FontId, Margin, Stroke, Style, TextStyle, Theme, Vec2,
    Visuals, style::WidgetVisuals, vec2,
};

/// Colours that egui's style does not have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Palette {
    /// Selection, playback position, handles.
    pub(crate) accent: Color32,
    /// Tags of clips.
    pub(crate) tag: Color32,
    /// Background of tags and keys.
    pub(crate) chip: Color32,
    /// Groove of the timeline.
    pub(crate) groove: Color32,
    pub(crate) error: Color32,
    pub(crate) warning: Color32,
    pub(crate) note: Color32,
    pub(crate) fine: Color32,
}

/// The colours of the current theme.
pub(crate) fn palette(visuals: &Visuals) -> Palette {
    if visuals.dark_mode {
        Palette {
            accent: Color32::from_rgb(255, 178, 44),
            tag: Color32::from_rgb(143, 200, 255),
            chip: Color32::from_rgb(44, 52, 64),
            groove: Color32::from_rgb(22, 24, 29),
            error: Color32::from_rgb(255, 107, 107),
            warning: Color32::from_rgb(255, 196, 84),
            note: Color32::from_rgb(126, 182, 255),
            fine: Color32::from_rgb(104, 211, 145),
        }
    } else {
        Palette {
            accent: Color32::from_rgb(214, 120, 0),
            tag: Color32::from_rgb(24, 92, 168),
            chip: Color32::from_rgb(224, 231, 240),
            groove: Color32::from_rgb(222, 226, 232),
            error: Color32::from_rgb(196, 38, 38),
            warning: Color32::from_rgb(166, 103, 0),
            note: Color32::from_rgb(30, 98, 190),
            fine: Color32::from_rgb(24, 128, 70),
        }
    }
}

/// Installs both themes; [`Context::set_theme`] chooses one.
pub(crate) fn install(context: &Context) {
    for theme in [Theme::Dark, Theme::Light] {
        context.style_mut_of(theme, |style| {
            space(style);
            colour(&mut style.visuals, theme == Theme::Dark);
        });
    }
}

fn space(style: &mut Style) {
    let sizes = [
        (TextStyle::Small, 11.0),
        (TextStyle::Body, 13.5),
        (TextStyle::Button, 13.5),
        (TextStyle::Heading, 16.0),
    ];
    for (text, size) in sizes {
        style.text_styles.insert(text, FontId::new(size, FontFamily::Proportional));
    }
    style.text_styles.insert(TextStyle::Monospace, FontId::new(12.5, FontFamily::Monospace));
    style.spacing.item_spacing = vec2(6.0, 4.0);
    style.spacing.button_padding = vec2(8.0, 3.0);
    style.spacing.interact_size = Vec2::new(28.0, 22.0);
    style.spacing.window_margin = Margin::same(14);
    style.interaction.selectable_labels = false;
}

fn colour(visuals: &mut Visuals, dark: bool) {
    let gray = Color32::from_gray;
    let rgb = Color32::from_rgb;
    let (panel, deep, text, strong, idle, hover, press, line, chosen) = if dark {
        (
            rgb(32, 35, 41),
            rgb(22, 24, 29),
            rgb(205, 210, 219),
            gray(250),
            rgb(46, 50, 58),
            rgb(58, 63, 73),
            rgb(70, 76, 88),
            rgb(50, 54, 62),
            rgb(70, 84, 110),
        )
    } else {
        (
            rgb(246, 247, 249),
            gray(255),
            rgb(52, 58, 68),
            rgb(16, 20, 26),
            rgb(232, 235, 240),
            rgb(220, 225, 232),
            rgb(206, 213, 223),
            rgb(214, 218, 225),
            rgb(200, 219, 245),
        )
    };
    visuals.panel_fill = panel;
    visuals.weak_text_color = Some(if dark { rgb(150, 156, 168) } else { rgb(98, 106, 118) });
    visuals.window_fill = panel;
    visuals.extreme_bg_color = deep;
    visuals.faint_bg_color = if dark { rgb(38, 41, 48) } else { rgb(238, 240, 244) };
    visuals.window_stroke = Stroke::new(1.0, line);
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.selection.bg_fill = chosen;
    visuals.selection.stroke = Stroke::new(1.0, strong);
    let set = |widget: &mut WidgetVisuals, fill: Color32, stroke: Color32| {
        widget.bg_fill = fill;
        widget.weak_bg_fill = fill;
        widget.bg_stroke = Stroke::NONE;
        widget.fg_stroke = Stroke::new(1.0, stroke);
        widget.corner_radius = CornerRadius::same(5);
        widget.expansion = 0.0;
    };
    set(&mut visuals.widgets.noninteractive, panel, text);
    set(&mut visuals.widgets.inactive, idle, text);
    set(&mut visuals.widgets.hovered, hover, strong);
    set(&mut visuals.widgets.active, press, strong);
    set(&mut visuals.widgets.open, idle, text);
    visuals.widgets.noninteractive.bg_stroke = Stroke::new(1.0, line);
}

use super::*;

fn moving(count: i32) -> Vec<Picture> {
    let frame = |i: i32| {
        let mut picture = Picture::new(24, 16, [230, 232, 236, 255]);
        picture.fill_rect(2 * i, 3 + i, 5, 4, [200, 40, 30, 255]);
        picture
    };
    (0..count).map(frame).collect()
}

#[test]
fn an_animated_png_has_its_frames_and_its_rate() {
    let frames = moving(5);
    let bytes = encode_frames(AnimationFormat::Apng, &frames, 20.0).unwrap();
    let mut reader = ::png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    assert_eq!(reader.info().animation_control().unwrap().num_frames, 5);
    let mut canvas = vec![0; frames[0].pixels().len()];
    for frame in &frames {
        let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut buffer).unwrap();
        let control = *reader.info().frame_control().unwrap();
        assert_eq!((control.delay_num, control.delay_den), (1, 20));
        for y in 0..control.height as usize {
            let from = y * control.width as usize * 4;
            let to = ((y + control.y_offset as usize) * 24 + control.x_offset as usize) * 4;
            let length = control.width as usize * 4;
            canvas[to..to + length].copy_from_slice(&buffer[from..from + length]);
        }
        assert_eq!(canvas, frame.pixels());
    }
}

#[test]
fn a_gif_has_its_frames_and_lasts_as_long_as_it_should() {
    let frames = moving(9);
    let bytes = encode_frames(AnimationFormat::Gif, &frames, 30.0).unwrap();
    let mut options = ::gif::DecodeOptions::new();
    options.set_color_output(::gif::ColorOutput::RGBA);
    let mut reader = options.read_info(bytes.as_slice()).unwrap();
    let mut canvas = vec![0; frames[0].pixels().len()];
    let (mut count, mut hundredths) = (0, 0);
    while let Some(frame) = reader.read_next_frame().unwrap() {
        // As players do: transparent pixels keep the frame before.
        for (i, pixel) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, pixel)| pixel[3] > 0) {
            let (x, y) = (i % usize::from(frame.width), i / usize::from(frame.width));
            let to = ((y + usize::from(frame.top)) * 24 + x + usize::from(frame.left)) * 4;
            canvas[to..to + 4].copy_from_slice(pixel);
        }
        let shown = Picture::from_pixels(24, 16, canvas.clone()).unwrap();
        assert!(shown.mean_difference(&frames[count]) < 4.0, "frame {count}");
        count += 1;
        hundredths += frame.delay;
    }
    assert_eq!((count, hundredths), (9, 30), "nine thirtieths of a second");
}

#[test]
fn transparent_stays_transparent_in_a_gif() {
    let mut frames = vec![Picture::new(8, 8, [0, 0, 0, 0]); 2];
    frames[1].fill_rect(2, 2, 3, 3, [250, 0, 0, 255]);
    let bytes = encode_frames(AnimationFormat::Gif, &frames, 10.0).unwrap();
    let mut options = ::gif::DecodeOptions::new();
    options.set_color_output(::gif::ColorOutput::RGBA);
    let mut reader = options.read_info(bytes.as_slice()).unwrap();
    let first = reader.read_next_frame().unwrap().unwrap().buffer.to_vec();
    assert!(first.chunks_exact(4).all(|p| p[3] == 0));
    let second = reader.read_next_frame().unwrap().unwrap().buffer.to_vec();
    assert_eq!(second.chunks_exact(4).filter(|p| p[3] == 255).count(), 9);
}

#[test]
fn frames_that_do_not_go_together_are_refused() {
    assert!(matches!(encode_frames(AnimationFormat::Gif, &[], 10.0), Err(RenderError::Empty { .. })));
    let mixed = [Picture::new(2, 2, [0; 4]), Picture::new(3, 2, [0; 4])];
    assert!(matches!(
        encode_frames(AnimationFormat::Apng, &mixed, 10.0),
        Err(RenderError::Size { index: 1, .. })
    ));
    assert!(matches!(
        encode_frames(AnimationFormat::Gif, &[Picture::new(70_000, 1, [0; 4])], 1.0),
        Err(RenderError::TooLarge { .. })
    ));
    let nowhere = std::path::Path::new("empty.png");
    assert!(matches!(write_png(nowhere, &Picture::new(0, 4, [0; 4])), Err(RenderError::Empty { .. })));
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    write_png(&path, &Picture::new(2, 2, [9; 4])).unwrap();
    let first = std::fs::read(&path).unwrap();
    write_png(&path, &Picture::new(3, 3, [7; 4])).unwrap();
    assert_ne!(std::fs::read(&path).unwrap(), first, "written over");
    let error = write_png(&folder.path().join("missing/a.png"), &Picture::new(1, 1, [0; 4])).unwrap_err();
    assert!(error.to_string().contains("a.png: cannot be written"), "{error}");
    // A file cannot replace a folder, and no temporary file is left.
    std::fs::create_dir(folder.path().join("taken.gif")).unwrap();
    assert!(write_frames(&folder.path().join("taken.gif"), AnimationFormat::Gif, &moving(2), 10.0).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

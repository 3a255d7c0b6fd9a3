//! What users get wrong is told by file, line and column, with what to write instead, all at once.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails may panic"
)]

use std::fs;
use std::path::Path;

use taffeta_scene::{Override, Scene, SceneError, SceneFile, SceneText};

const GIB: u64 = 1 << 30;

const SHEET: &str = "[cloth.sheet]\nsize = [1.0, 1.0]\nparticles = [5, 4]\n";

fn resolve_in(base: &Path, text: &str, overrides: &[&str]) -> Result<Scene, SceneError> {
    let overrides: Vec<Override> = overrides.iter().map(|o| Override((*o).into())).collect();
    let scene = SceneText { origin: "my.toml", name: "my", base, text };
    Scene::resolve(&SceneFile::read(scene, &overrides)?, GIB)
}

/// Every problem as "line:column message | help", by the text it points into.
fn mistakes_with(text: &str, overrides: &[&str]) -> Vec<String> {
    mistakes_in(Path::new("."), text, overrides)
}

fn mistakes_in(base: &Path, text: &str, overrides: &[&str]) -> Vec<String> {
    let error = resolve_in(base, text, overrides).expect_err("the scene has no mistake");
    let show = |problem: &taffeta_scene::text::Problem| {
        let source = match problem.span.source {
            0 => text,
            n => overrides[n - 1],
        };
        let before = &source[..problem.span.range.start];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        let help = problem.help.as_deref().unwrap_or("");
        format!("{line}:{column} {} | {help}", problem.message)
    };
    error.problems().map(show).collect()
}

#[track_caller]
fn assert_mistake(text: &str, place: &str, words: &[&str]) {
    let found = mistakes_with(text, &[]);
    let fits = |m: &String| m.starts_with(place) && words.iter().all(|word| m.contains(word));
    assert!(found.iter().any(fits), "no mistake {place} {words:?} in {found:#?}");
}

#[test]
fn a_good_scene_resolves() {
    let scene = resolve_in(Path::new("."), SHEET, &[]).unwrap();
    assert_eq!(scene.setup.model.particles(), 20);
    assert_eq!((scene.frames.first, scene.frames.last), (0, 150));
}

#[test]
fn guides_and_pulls_are_read_and_their_mistakes_told() {
    let pin = format!("{SHEET}[[pin]]\nedge = \"top\"\n");
    let curve = "[pin.curve]\npoints = [[-1, 0, -0.5], [1, 0.1, -0.5]]\nsmooth = true\n";
    let sphere = "[pin.sphere]\ncentre = [0, 0, 0]\nradius = 0.5\n";
    let pull = "[[pull]]\nnearest = [0.5, 0, 0.5]\n[[pull.key]]\ntime = 1\nmove = [0, 1, 0]\n";
    let scene = resolve_in(Path::new("."), &format!("{pin}{curve}{pull}"), &[]).unwrap();
    assert!(matches!(scene.setup.pins[0].hold, taffeta::Hold::Guide(_)));
    assert_eq!((scene.setup.pulls[0].particle, scene.setup.pulls[0].point.x), (19, 0.5));
    assert_mistake(&format!("{pin}{curve}{sphere}"), "9:6", &["one way only"]);
    assert_mistake(&format!("{pin}[pin.curve]\npoints = [[0, 0, 0]]\n"), "7:10", &["two points"]);
    assert_mistake(&format!("{pin}[pin.sphere]\nradius = 1\n"), "6:1", &["needs `centre`"]);
    let contact = format!("{SHEET}[contact]\nthickness = 1e-3\n");
    assert_mistake(&contact, "5:1", &["does nothing", "`self = true`"]);
    assert_mistake(&format!("{SHEET}[[pull]]\n"), "4:1", &["exactly one of"]);
    assert_mistake(&format!("{SHEET}[[pull]]\nparticle = 20\n"), "5:12", &["20 is not a particle"]);
}

#[test]
fn all_mistakes_come_at_once_in_order() {
    let text = "[fabric]\ndensty = 0.2\nstretch = -1\nshear = \"soft\"\n[cloth.sheet]\nsize = [1.0]\nparticles = [5, 1]\n[frames]\nrate = nan\n";
    let found = mistakes_with(text, &[]);
    let places: Vec<&str> = found.iter().map(|m| m.split(' ').next().unwrap()).collect();
    assert_eq!(places, ["2:1", "3:11", "4:9", "6:8", "7:17", "9:8"], "{found:#?}");
    assert!(found[0].contains("did you mean `density`?"));
    assert!(found[1].contains("above 0"));
    assert!(found[2].contains("a number is needed, not text"));
}

#[test]
fn syntax_errors_are_located() {
    assert_mistake("[fabric\ndensity = 1\n", "1:", &[]);
    assert_mistake("a = = 2\n[fabric]\ndensity = 1 2\n", "1:", &[]);
    assert!(mistakes_with("a = = 2\n[fabric]\ndensity = 1 2\n", &[]).len() >= 2);
}

#[test]
fn a_bracket_that_is_not_closed_is_one_mistake() {
    let text = "[cloth.sheet]\nsize = [1.0, 1.0\nparticles = [5, 4]\n[[pin]]\nedge = \"left\"\n\
                [frames]\ncount = 3\n[check]\nextension = 0.2\n[[pin]]\nedge = \"right\"\n";
    let found = mistakes_with(text, &[]);
    let [one] = &found[..] else { panic!("{found:#?}") };
    assert!(one.starts_with("2:8 this bracket is never closed"), "{one}");
    // What is wrong before it is told too.
    let found = mistakes_with(&format!("a = = 2\n{text}"), &[]);
    assert!(found.len() == 3 && found[2].starts_with("3:8 this bracket"), "{found:#?}");
}

#[test]
fn refusals_point_at_the_table_they_are_about() {
    let strips =
        format!("{SHEET}[model.continuum]\n[limits]\nextension = 0.01\n[limiter.strips]\n");
    assert!(resolve_in(Path::new("."), &strips, &[]).is_ok());
    let after = format!("{strips}[integrator.implicit]\n");
    assert_mistake(&after, "7:10", &["strips move the cloth by themselves"]);
    let coarse = format!("{SHEET}[tear]\n[tear.coarse]\nsize = 2\n[limits]\nextension = 0.01\n");
    assert_mistake(&coarse, "5:7", &["without strain limits"]);
}

#[test]
fn a_whole_number_beyond_its_range_is_told_the_range() {
    for (seed, words) in [("4294967296", "from 0 to 4294967295"), ("-1", "at least 0")] {
        assert_mistake(&format!("seed = {seed}\n{SHEET}"), "1:8", &[words]);
    }
}

#[test]
fn values_out_of_range_are_refused_one_by_one() {
    for (line, words) in [
        ("[fabric]\ndensity = 0", "above 0"),
        ("[fabric]\ndensity = inf", "not a finite number"),
        ("[fabric]\nstretch = 0.0", "above 0"),
        ("[fabric]\nbend = -0.1", "at least 0"),
        ("[fabric]\nthickness = nan", "not a finite number"),
        ("[frames]\nrate = 0", "above 0"),
        ("[frames]\ncount = -3", "from 0 to"),
        ("[frames]\ncount = 2.5", "a whole number is needed"),
        ("[integrator.explicit]\nsafety = 1.5", "at most 1"),
        ("[step]\nmax = 1e-9", "above the longest"),
        ("[air]\ndensity = -1", "at least 0"),
    ] {
        let text = format!("{SHEET}{line}\n");
        assert_mistake(&text, "5:", &[words]);
    }
    assert_mistake("[cloth.sheet]\nsize = [0.0, 1.0]\nparticles = [5, 4]\n", "2:9", &["above 0"]);
    assert_mistake("[cloth.sheet]\nsize = [1, 1]\nparticles = [0, 4]\n", "3:14", &["from 2 to"]);
    assert_mistake(
        "gravity = [0, nan, 0]\n[cloth.sheet]\nsize = [1,1]\nparticles = [2,2]",
        "1:15",
        &["finite"],
    );
}

#[test]
fn absurd_resolutions_are_refused_with_the_memory_they_need() {
    let text = "[cloth.sheet]\nsize = [1, 1]\nparticles = [60000, 60000]\n";
    assert_mistake(text, "3:13", &["3600000000 particles", "GiB"]);
    let large = format!("{}{}", "v 0 0 0\n".repeat(400_000), "f 1 2 3\n");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("m.obj"), large).unwrap();
    let found = mistakes_in(folder.path(), "[cloth.mesh]\nfile = \"m.obj\"\n", &[]);
    assert!(found[0].contains("400000 particles need about 1.30 GiB"), "{found:?}");
}

#[test]
fn what_does_not_fit_into_memory_is_refused_with_what_would() {
    let sheet = "[cloth.sheet]\nsize = [1, 1]\nparticles = [200, 200]\n[integrator.implicit]\n";
    let direct = format!("{sheet}[solver.direct]\n");
    let found = mistakes_with(&direct, &[]);
    let [one] = &found[..] else { panic!("{found:#?}") };
    assert!(one.starts_with("5:2 the factor of direct solves") && one.contains("[solver.pcg]"));
    assert!(resolve_in(Path::new("."), sheet, &[]).is_ok());
    let limits =
        "[cloth.sheet]\nsize = [1, 1]\nparticles = [200, 200]\n[limits]\nextension = 0.1\n";
    // Strips keep them without a factor.
    assert!(resolve_in(Path::new("."), limits, &[]).is_ok());
    let limits = &format!("{limits}[solver.direct]\n[limiter.constraints]\n");
    assert_mistake(limits, "6:2", &["the factor of direct solves", "[solver.pcg]"]);
    // A long thin sheet has a small factor: it is cut across.
    let thin = direct.replace("[200, 200]", "[20000, 2]");
    assert!(resolve_in(Path::new("."), &thin, &[]).is_ok());
    let ball = "[[solid]]\nposition = [0, -5, 0]\n[solid.sphere]\nradius = 1\n";
    let many = format!("{SHEET}{}", ball.repeat(6_000));
    assert_mistake(&many, "4:3", &["the solids need about 1.12 GiB"]);
}

#[test]
fn unknown_sections_and_variants_name_the_nearest() {
    assert_mistake(&format!("{SHEET}[fabrik]\n"), "4:2", &["did you mean `fabric`?"]);
    assert_mistake(
        &format!("{SHEET}[integrator.explicitt]\n"),
        "4:13",
        &["did you mean `explicit`?"],
    );
    assert_mistake("[cloth]\n", "1:2", &["a sheet, a tube, a mesh or a garment"]);
    let two = format!("{SHEET}[cloth.tube]\nradius = 0.1\n");
    assert_mistake(&two, "1:2", &["not sheet and tube"]);
    let explicit = format!("{SHEET}[tear.coarse]\n[integrator.explicit]\n");
    assert_mistake(&explicit, "4:7", &["coarse cells need implicit steps"]);
    let whole = format!("{SHEET}[check]\ntorn = [1, 2]\n");
    assert_mistake(&whole, "5:1", &["cloth without [tear] does not tear", "leave torn out"]);
    assert_mistake("", "1:1", &["no cloth", "[cloth.sheet]"]);
    assert_mistake("cloth = 3\n", "1:9", &["table"]);
}

#[test]
fn pins_that_hold_nothing_or_too_much_are_told() {
    let pin = |lines: &str| format!("{SHEET}[[pin]]\n{lines}\n");
    assert_mistake(&pin("particles = [0, 20]"), "5:17", &["20 is not a particle"]);
    assert_mistake(&pin("particles = []"), "5:13", &["holds no particle"]);
    assert_mistake(&pin("particles = [-1]"), "5:14", &["at least 0"]);
    assert_mistake(
        &pin("box = [[5, 5, 5], [6, 6, 6]]"),
        "5:7",
        &["no particle is in this box", "between"],
    );
    assert_mistake(&pin("box = [[1, 0, 0], [0, 0, 0]]"), "5:7", &["empty"]);
    assert_mistake(&pin("segment = [[9, 9, 9], [9, 9, 8]]"), "5:11", &["no particle is within"]);
    assert_mistake(&pin(""), "4:", &["does not say what it holds"]);
    assert_mistake(&pin("nearest = [0, 0, 0]\nedge = \"top\""), "6:1", &["2 times"]);
    assert_mistake(&pin("edge = \"tpo\""), "5:8", &["did you mean `top`?"]);
    assert_mistake(&pin("edge = \"top\"\nslide_line = [0, 0, 0]"), "6:14", &["points nowhere"]);
    assert_mistake(&pin("edge = \"top\"\nfrom = 2\nuntil = 1"), "7:9", &["before it takes hold"]);
    assert_mistake(
        &pin("edge = \"top\"\n[[pin]]\nparticles = [2]"),
        "7:13",
        &["particle 2 is held by pin 0"],
    );
    let keys = "edge = \"top\"\n[[pin.key]]\ntime = 1\n[[pin.key]]\ntime = 1";
    assert_mistake(&pin(keys), "9:8", &["out of order"]);
}

#[test]
fn limits_and_limiters_that_make_no_sense_are_refused() {
    let limits = |line: &str| format!("{SHEET}[limits]\n{line}\n");
    for bad in ["0", "-0.1", "0.0"] {
        let words = &["out of range", "above 0"];
        assert_mistake(&limits(&format!("extension = {bad}")), "5:13", words);
    }
    for bad in ["nan", "inf"] {
        assert_mistake(&limits(&format!("extension = {bad}")), "5:13", &["not a finite number"]);
    }
    for bad in ["0", "1.0", "1.5"] {
        let line = format!("extension = 0.1\ncompression = {bad}");
        assert_mistake(&limits(&line), "6:15", &["out of range", "at most 0.99"]);
    }
    let strips = limits("extension = 0.1\n[limiter.strips]\nmax_iterations = 0");
    assert_mistake(&strips, "7:18", &["out of range", "from 1"]);
}

#[test]
fn fabrics_in_wrong_units_are_refused_before_the_run() {
    let text = format!("{SHEET}[fabric]\nstretch = 2e15\n");
    assert_mistake(&text, "4:2", &["steps", "check the units"]);
    let text = format!("{SHEET}[fabric]\ndensity = 1e-300\n");
    assert_mistake(&text, "4:2", &["units"]);
}

#[test]
fn meshes_are_judged_with_all_their_problems() {
    let folder = tempfile::tempdir().unwrap();
    let check = |obj: &str, words: &[&str]| {
        fs::write(folder.path().join("bad.obj"), obj).unwrap();
        let found = mistakes_in(folder.path(), "[cloth.mesh]\nfile = \"bad.obj\"\n", &[]);
        for word in words {
            assert!(found.iter().any(|m| m.contains(word)), "{word:?} is not in {found:#?}");
        }
    };
    let square = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\n";
    check(
        &format!("{square}f 1 2 3\nf 1 2 3\nf 1 4 3\n"),
        &["faces 0 and 1 are duplicates", "not manifold"],
    );
    check(
        &format!("{square}f 1 1 3\nf 1 3 4\n"),
        &["face 0 is degenerate", "vertex 1 belongs to no face"],
    );
    check(&format!("{square}f 1 2 3\nf 1 3 4\nf 2 1 4\nf 1 2 4\n"), &["edge 0–1 is not manifold"]);
    check(&format!("{square}f 1 2 3\nf 1 2 4\n"), &["one of them is flipped"]);
    check("v 0 0 nan\nv 1 0 0\nv 1 0 1\nf 1 2 3\n", &["finite"]);
    check(&format!("{square}v 2 0 2\nf 1 2 3 5 4\n"), &["5 corners"]);
    check(&format!("{square}f 1 2 9\n"), &["9"]);
    check("# nothing\n", &["no faces"]);
    let missing = mistakes_in(folder.path(), "[cloth.mesh]\nfile = \"gone.obj\"\n", &[]);
    assert!(missing[0].starts_with("2:8") && missing[0].contains("gone.obj"), "{missing:?}");
    let unknown = mistakes_in(folder.path(), "[cloth.mesh]\nfile = \"shirt.fbx\"\n", &[]);
    assert!(unknown[0].contains("obj") && unknown[0].contains("ply"), "{unknown:?}");
}

#[test]
fn overrides_are_checked_like_the_file() {
    let found = mistakes_with(SHEET, &["fabric.densty=2", "fabric.density=-1", "oops"]);
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(found[0].starts_with("1:8") && found[0].contains("did you mean `density`?"));
    assert!(found[1].starts_with("1:16") && found[1].contains("above 0"));
    assert!(found[2].contains("path.to.key=value"));
    let scene = resolve_in(Path::new("."), SHEET, &["fabric.density=0.5", "seed=3"]).unwrap();
    assert!((scene.setup.model.masses().iter().sum::<f64>() - 0.5).abs() < 1e-15);
    let again = resolve_in(Path::new("."), &scene.effective, &[]).unwrap();
    assert_eq!(again.identity, scene.identity, "the scene kept with the frames is the same scene");
}

#[test]
fn identity_follows_what_bears_on_the_frames_and_nothing_else() {
    let identity = |text: &str| resolve_in(Path::new("."), text, &[]).unwrap().identity;
    let plain = identity(SHEET);
    let same = [
        "# a comment\n[cloth.sheet]\nparticles = [5, 4]\nsize = [1, 1]\n".to_string(),
        format!("name = \"other\"\n{SHEET}"),
        format!("{SHEET}[frames]\ncount = 7\n"),
        format!("{SHEET}[check]\nextension = 0.1\n"),
        format!("{SHEET}[output]\nexport = [\"a.abc\"]\n"),
        format!("{SHEET}[camera]\nposition = [1, 2, 3]\n[[camera.key]]\ntime = 1\n"),
        format!("{SHEET}[render]\nlook = \"yarns\"\n[render.texture]\nfile = \"a.png\"\n"),
    ];
    for text in same {
        assert_eq!(identity(&text), plain, "{text}");
    }
    let other = [
        format!("seed = 1\n{SHEET}"),
        format!("{SHEET}[fabric]\ndensity = 0.21\n"),
        format!("{SHEET}[frames]\nrate = 60\n"),
        format!("{SHEET}[[pin]]\nparticles = [0]\n"),
    ];
    for text in other {
        assert_ne!(identity(&text), plain, "{text}");
    }
}

#[test]
fn loads_out_of_order_and_wind_without_air_are_shown() {
    let load = |time: f64, more: &str| format!("[[load]]\ntime = {time}\n{more}\n");
    let disordered = [SHEET, &load(1.0, ""), &load(0.5, "")].concat();
    assert_mistake(&disordered, "8:8", &["out of order", "0.5 s comes after 1 s"]);
    let windy = [SHEET, &load(1.0, "wind = [1, 0, 0]")].concat();
    assert_mistake(&windy, "6:8", &["in air only", "write a line `[air]`"]);
}

#[test]
fn cameras_that_cannot_look_are_shown() {
    let camera = |lines: &str| format!("{SHEET}[camera]\n{lines}");
    let same = "position = [1, 2, 3]\ntarget = [1, 2, 3]\n";
    assert_mistake(&camera(same), "6:10", &["is where it looks", "move its position"]);
    for angle in ["0", "-3", "180", "nan"] {
        let text = camera(&format!("field_of_view = {angle}\n"));
        assert_eq!(mistakes_with(&text, &[]).len(), 1, "{text}");
    }
    assert_mistake(&camera("elevation = 91\n"), "5:13", &["-90 to 90"]);
    let key = |time: f64, more: &str| format!("[[camera.key]]\ntime = {time}\n{more}\n");
    let disordered = camera(&[key(1.0, ""), key(0.5, "")].concat());
    assert_mistake(&disordered, "9:8", &["out of order", "0.5 s comes after 1 s"]);
    let meets = format!("target = [0, 1, 0]\n{}", key(1.0, "position = [0, 1, 0]"));
    assert_mistake(&camera(&meets), "8:12", &["is where it looks"]);
    assert_mistake(&camera("[camera.key]\ntime = 1\n"), "5:9", &["list of tables"]);
}

#[test]
fn pictures_that_cannot_be_are_shown() {
    let render = |lines: &str| format!("{SHEET}[render]\n{lines}");
    assert_mistake(&render("look = \"clth\"\n"), "5:8", &["did you mean `cloth`?"]);
    assert_mistake(&render("size = [0, 90]\n"), "5:9", &["from 1"]);
    assert_mistake(&render("background = \"grey\"\n"), "5:14", &["no colour", "hexadecimal"]);
    assert_mistake(&render("ground = 1\n"), "5:10", &["true or false"]);
    assert_mistake(&render("texture = {}\n"), "5:1", &["a file or a motif"]);
    let both = "texture = { file = \"a.png\", motif = \"checker\" }\n";
    assert_mistake(&render(both), "5:1", &["a file or a motif"]);
    assert_mistake(&render("texture = { motif = \"stripes\" }\n"), "5:21", &["checker"]);
}

#[test]
fn texture_coordinates_without_area_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let corners = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 2 0\n";
    let notes = |faces: &str| {
        fs::write(folder.path().join("m.obj"), format!("{corners}{faces}")).unwrap();
        resolve_in(folder.path(), "[cloth.mesh]\nfile = \"m.obj\"\n", &[]).unwrap().notes
    };
    assert_eq!(notes("f 1/1 2/2 3/3\nf 1/1 3/3 4/4"), [""; 0]);
    let told = notes("f 1/1 2/2 3/4\nf 1/1 3/3 4/3");
    assert!(told[0].starts_with("2 triangles have texture coordinates without area"), "{told:?}");
}

#[test]
fn promises_that_nothing_can_keep_are_shown() {
    let promise = format!("{SHEET}[check]\ntorn = [9, 3]\n");
    assert_mistake(&promise, "5:8", &["at least 9 and at most 3", "smaller one first"]);
    let pieces = format!("{SHEET}[check]\npieces = [0, 3]\n");
    assert_mistake(&pieces, "5:11", &["at least 1"]);
}

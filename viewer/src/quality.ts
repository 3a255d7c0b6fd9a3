// How much is drawn: less where pictures take too long.

import type { Stage } from "./stage";

/** Pixels for each of the screen's, the shadow's size, and sides and pieces of a yarn's span. */
const LEVELS = [
  { ratio: 2, shadow: 2048, sides: 6, pieces: 3 },
  { ratio: 1, shadow: 1024, sides: 5, pieces: 2 },
  { ratio: 1, shadow: 512, sides: 4, pieces: 2 },
  { ratio: 0.75, shadow: 0, sides: 3, pieces: 1 },
];

/** A picture should not take longer [ms]. */
const SLOW = 45;

/** Pictures that are looked at before anything changes. */
const PATIENCE = 20;

export class Quality {
  private level = 0;
  private slow = 0;

  constructor(private readonly stage: Stage) {
    const gl = stage.renderer.getContext();
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
    // Without a graphics card the processor draws, which has cloth to simulate.
    this.set(/swiftshader|llvmpipe|software/i.test(name) ? LEVELS.length - 1 : 0);
  }

  /** Hears how long it took from a picture to the next [ms]. */
  hear(milliseconds: number) {
    this.slow = Math.max(0, this.slow + (milliseconds > SLOW ? 1 : -1));
    if (this.slow > PATIENCE && this.level + 1 < LEVELS.length) this.set(this.level + 1);
  }

  private set(level: number) {
    this.level = level;
    this.slow = 0;
    const { ratio, shadow, sides, pieces } = LEVELS[level];
    const { stage } = this;
    stage.renderer.setPixelRatio(Math.min(devicePixelRatio, ratio));
    stage.setShadow(shadow);
    stage.yarns.setDetail(sides, pieces);
    stage.resize();
  }
}

// A clip of what is seen, as the browser can write it: WebM, or MP4.

export class Clip {
  private recorder: MediaRecorder | null = null;
  /** How much is recorded [bytes]. */
  size = 0;

  get running(): boolean {
    return this.recorder !== null;
  }

  /** Begins a clip, or ends it and saves it. */
  toggle(canvas: HTMLCanvasElement, name: string, done: (text: string) => void) {
    if (this.recorder) {
      this.recorder.stop();
      return;
    }
    const types = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
    const type = types.find((type) => MediaRecorder.isTypeSupported(type));
    if (!type) return done("This browser cannot record clips.");
    const recorder = new MediaRecorder(canvas.captureStream(60), { mimeType: type, videoBitsPerSecond: 12e6 });
    const parts: Blob[] = [];
    this.size = 0;
    recorder.ondataavailable = (event) => {
      parts.push(event.data);
      this.size += event.data.size;
    };
    recorder.onstop = () => {
      this.recorder = null;
      const file = `${name}.${type.includes("mp4") ? "mp4" : "webm"}`;
      download(new Blob(parts, { type }), file);
      done(`The clip is saved as ${file}.`);
    };
    recorder.start(200);
    this.recorder = recorder;
  }
}

export function download(content: Blob, name: string) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

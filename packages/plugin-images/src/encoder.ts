import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { limitedNode, pluginEnvironment } from '@longshore/plugin/process';
import { ImageFailure } from './image-failure.ts';
import { ENCODER_MEMORY_KIB, FILE_TIMEOUT_MS } from './limits.ts';
import {
  type EncodedImage,
  type EncoderAnswer,
  type EncoderOrder,
  runEncoder,
} from './run-encoder.ts';

/** Beyond what libvips keeps to by itself, in milliseconds: it looks at the time between two parts of an image. */
const LATE_MS = 10_000;

/**
 * libvips in a process of its own with a limit on its memory: an image that needs more fails alone, a run that is
 * cancelled ends at once, and a decoder that crashes takes no worker with it. One image at a time; the process is
 * started for the first one, and again when it has died.
 */
export class Encoder {
  readonly #memoryKib: number;
  #child: ChildProcess | null = null;

  /** @param memoryKib private memory of the process */
  constructor(memoryKib = ENCODER_MEMORY_KIB) {
    this.#memoryKib = memoryKib;
  }

  /**
   * @throws {ImageFailure} the process died, or was too slow
   * @throws {Error} sharp's message
   * @throws the signal's reason when it fires
   */
  async encode(order: EncoderOrder, signal: AbortSignal): Promise<EncodedImage> {
    signal.throwIfAborted();
    const child = this.#running();
    let isLate = false;
    const kill = (): void => this.close();
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, FILE_TIMEOUT_MS + LATE_MS);
    signal.addEventListener('abort', kill, { once: true });
    try {
      const answer = await answerOf(child, order);
      signal.throwIfAborted();
      if (answer === null) {
        throw isLate
          ? new ImageFailure('TOO_SLOW', 'takes over a minute')
          : new ImageFailure('OUT_OF_MEMORY', 'needs more memory than there is for one image');
      }
      if (answer.kind === 'error') throw new Error(answer.message);
      return answer;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
    }
  }

  /** Ends the process, whatever it does. */
  close(): void {
    this.#child?.kill('SIGKILL');
    // Whoever comes next gets another one, also while this one is not gone yet.
    this.#child = null;
  }

  #running(): ChildProcess {
    if (this.#child !== null) return this.#child;
    const sharp = createRequire(import.meta.url).resolve('sharp');
    const child = spawn(...limitedNode(`(${runEncoder})()`, [sharp], this.#memoryKib), {
      cwd: '/',
      env: pluginEnvironment(),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.once('close', () => {
      if (this.#child === child) this.#child = null;
    });
    this.#child = child;
    return child;
  }
}

/** @returns null when the process ended first */
function answerOf(child: ChildProcess, order: EncoderOrder): Promise<EncoderAnswer | null> {
  return new Promise((resolve, reject) => {
    const settle = (answer: EncoderAnswer | null): void => {
      child.off('message', onMessage);
      child.off('close', onClose);
      child.off('error', reject);
      resolve(answer);
    };
    // Its own code is all that runs there.
    const onMessage = (answer: unknown): void => settle(answer as EncoderAnswer);
    const onClose = (): void => settle(null);
    child.once('message', onMessage);
    child.once('close', onClose);
    child.once('error', reject);
    child.send(order, () => {});
  });
}

/**
 * The encoders of a worker: no more than these are at work, whatever many calls there are. They end when no call
 * needs them any more.
 */
export class Encoders {
  readonly #idle: Encoder[];
  readonly #all: readonly Encoder[];
  readonly #line: (() => void)[] = [];
  #calls = 0;

  constructor(count: number) {
    this.#all = Array.from({ length: count }, () => new Encoder());
    this.#idle = [...this.#all];
  }

  /** For the length of a call, which may encode many images. */
  async open<T>(work: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    try {
      return await work();
    } finally {
      this.#calls -= 1;
      if (this.#calls === 0) for (const encoder of this.#all) encoder.close();
    }
  }

  /** Waits for its turn. @throws as `Encoder.encode` */
  async encode(order: EncoderOrder, signal: AbortSignal): Promise<EncodedImage> {
    const encoder = await this.#take(signal);
    try {
      return await encoder.encode(order, signal);
    } finally {
      this.#idle.push(encoder);
      this.#line.shift()?.();
    }
  }

  async #take(signal: AbortSignal): Promise<Encoder> {
    for (;;) {
      signal.throwIfAborted();
      const encoder = this.#idle.pop();
      if (encoder !== undefined) return encoder;
      await new Promise<void>((resolve) => {
        const go = (): void => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        const leave = (): void => {
          this.#line.splice(this.#line.indexOf(go), 1);
          resolve();
        };
        signal.addEventListener('abort', leave, { once: true });
        this.#line.push(go);
      });
    }
  }
}

import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** @returns when the youngest of these files, or of those in these folders, was written, in ms since 1970 */
export function newest(...places) {
  return Math.max(
    ...places.filter(existsSync).flatMap((place) => {
      const inside = statSync(place).isDirectory()
        ? readdirSync(place, { recursive: true }).map((name) => path.join(place, name))
        : [];
      return [place, ...inside].map((file) => statSync(file).mtimeMs);
    }),
  );
}

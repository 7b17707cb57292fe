// Adds to package-lock.json the optional platform packages a registry view does not serve, so that `npm ci`
// accepts the lockfile on every npm and every platform. Run it after each change of dependencies.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const OS =
  /(?:^|[-/_.])(linux|darwin|win32|android|freebsd|openbsd|netbsd|sunos|aix|openharmony)(?=$|[-_.])/;
const CPU =
  /(?:^|[-_.])(x64|arm64|arm|ia32|ppc64|riscv64|s390x|loong64|mips64el|wasm32)(?=$|[-_.]|eabi|hf|gnu)/;

const file = path.join(import.meta.dirname, '..', 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
let added = 0;
for (const [where, parent] of Object.entries({ ...lock.packages })) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const top = `node_modules/${name}`;
    if (lock.packages[`${where}/node_modules/${name}`] || lock.packages[top]) continue;
    if (!/^\d+\.\d+\.\d+/.test(version)) {
      process.stderr.write(`left out ${name}@${version}: not an exact version\n`);
      continue;
    }
    const os = OS.exec(name)?.[1];
    const cpu = CPU.exec(name)?.[1];
    lock.packages[top] = {
      version,
      ...(parent.dev ? { dev: true } : {}),
      optional: true,
      ...(os ? { os: [os] } : {}),
      ...(cpu ? { cpu: [cpu] } : {}),
      ...(name.includes('musl') ? { libc: ['musl'] } : {}),
    };
    added += 1;
  }
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)),
);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`added ${added} platform packages\n`);

export { type GuardDuty, guard } from './guardian-process.ts';
export {
  killSpawnedProcesses,
  type ProcessExit,
  type SpawnedProcess,
  type SpawnOptions,
  spawnApp,
  spawnProcess,
} from './spawned-process.ts';

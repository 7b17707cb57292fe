export { AllowedDirectories } from './allowed-directories.ts';
export type { AllowedFile, ListedFile } from './allowed-file.ts';
export {
  createOutputFile,
  createOutputFolder,
  type OutputFile,
  type OutputFolder,
} from './output-file.ts';
export { saveLines } from './save-lines.ts';

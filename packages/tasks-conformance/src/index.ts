export type { Level, Requirement } from './manifest/requirement.ts';
export { REQUIREMENTS, type RequirementId } from './manifest/requirements.ts';
export type { CheckResult, Report, Status } from './run/report.ts';
export { type RunOptions, runConformance } from './run/run-conformance.ts';
export type { Timing } from './scene/timing.ts';
export { TOOL_ROLES, type ToolRole, type ToolRoleName } from './scene/tool-roles.ts';
export { WireError } from './wire/wire-error.ts';

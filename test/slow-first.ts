import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take long though they are small; without a word about it the last of them would run alone. */
const slow = [
  ...["conformance/", "library/", "packaging/", "real-servers/", "tools/workers/"],
  ...["app/isolation", "providers/recordings"],
  // These start process after process, or wait for limits that cannot be set lower.
  ...["agent/record/kill-points", "client/lists/refresh", "server/api/killed", "server/mcp/window"],
  ...["server/replicas/", "spec/agent-mode/configuration", "store/postgres/", "store/processes"],
];

/** The order in which files begin: slow ones first, then large ones. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

function isSlow({ moduleId }: TestSpecification): boolean {
  return slow.some((part) => moduleId.includes(`/test/${part}`));
}

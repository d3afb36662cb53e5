import { createMemoryRecords } from "../../../src/store/memory/shared-records.ts";
import { testSharedRecords } from "../contract/shared-records.ts";

testSharedRecords("in memory", async (now) => {
  const records = createMemoryRecords(now);
  return [records, records];
});

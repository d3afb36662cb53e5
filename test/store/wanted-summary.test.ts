import { testSummaries } from "./contract/summaries.ts";
import { localStores } from "./stores.ts";

for (const [name, open] of localStores) testSummaries(name, open);

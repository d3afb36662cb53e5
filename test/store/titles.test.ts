import { testTitles } from "./contract/titles.ts";
import { localStores } from "./stores.ts";

for (const [name, open] of localStores) testTitles(name, open);

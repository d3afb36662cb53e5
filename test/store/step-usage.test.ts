import { testKilledUsage, testStepUsage } from "./contract/step-usage.ts";
import { localStores, openStore, storeFile } from "./stores.ts";

for (const [name, open] of localStores) testStepUsage(name, open);
testKilledUsage("on disk", async () => {
  const place = await storeFile();
  return { place, open: () => openStore(place) };
});

// Another Duet that keeps pins: `node pin-process.ts HOME SERVER PREFIX COUNT` writes as many versions, one after the other.
import { createPinStore } from "../../../src/client/trust/pin-store.ts";
import { serverNamed, versioned } from "./stored.ts";

const [home, server = "", prefix = "", count] = process.argv.slice(2);
const store = createPinStore(home);
for (let version = 0; version < Number(count); version += 1) {
  await store.write(serverNamed(server), versioned(server, `${prefix}${version}`));
}

/** A process of its own that types: `node typed-history-process.ts HOME NAME COUNT`. It begins at a line on stdin. */
import { once } from "node:events";
import { openStore } from "../../../src/app/conversations/open-store.ts";
import { createTypedHistory } from "../../../src/app/conversations/typed-history.ts";
import { createOnce } from "../../../src/kit/async/once.ts";

const [home = "", name = "", count = "0"] = process.argv.slice(2);
const config = { home, conversations: { store: "disk" as const } };
const store = createOnce(() => openStore(config));
const history = createTypedHistory(config, store.get);
process.stdout.write("ready\n");
await once(process.stdin, "data");
await history.list();
for (let index = 0; index < Number(count); index++) await history.add([`${name}${index}`]);
await (await store.get()).store.close();
process.exit();

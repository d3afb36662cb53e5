// The thread in which pages are read: what takes long or breaks does so beside the program.
import { parentPort } from "node:worker_threads";
import { messageOf } from "../../core/errors.ts";
import type { PageBytes, Reading } from "./page.ts";
import { readBytes } from "./read-bytes.ts";

parentPort?.on("message", async (page: PageBytes) => {
  const reading: Reading = await readBytes(page).catch((thrown: unknown) => ({
    problem: "failed",
    message: messageOf(thrown),
  }));
  parentPort?.postMessage(reading);
});

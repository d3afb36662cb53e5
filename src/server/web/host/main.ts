import { startRunApp } from "./run-app.ts";

void startRunApp(window);

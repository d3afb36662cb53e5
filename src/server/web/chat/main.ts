import { startChat } from "./start-chat.ts";

// The page at `/`; its markup is in `views`, from `App` on.
void startChat(window);

import type { Key } from "../../terminal/keys/key.ts";
import type { Live, Size } from "../../terminal/screen/live.ts";

/** What takes the keys, and shows at the bottom of the screen what they do. */
export interface Panel {
  /** Whether it knows the key. */
  press(key: Key): boolean;
  view(size: Size): Live;
}

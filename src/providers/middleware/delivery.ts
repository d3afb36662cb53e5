import type { ModelEvent, OnModelEvent } from "../../core/model/model.ts";
import type { Mutable } from "../../kit/mutable.ts";
import { isContent } from "../wires/turn-reader.ts";

/** Passes the events of one attempt on, and knows whether another attempt may follow it. */
export interface Delivery {
  readonly onEvent: OnModelEvent;
  /** Is true once part of an answer was passed on, or the receiver threw: whoever called then gets no second attempt. */
  readonly isFinal: boolean;
  /** Is true when the receiver threw, so that a failure says nothing about the model. */
  readonly isRefused: boolean;
}

/** Creates the delivery of one attempt. `onContent` is called before the first part of an answer is passed on. */
export function createDelivery(receive: OnModelEvent, onContent: () => void = () => {}): Delivery {
  let hasContent = false;
  const delivery: Mutable<Delivery> = {
    isFinal: false,
    isRefused: false,
    onEvent(event: ModelEvent) {
      if (!hasContent && isContent(event)) {
        hasContent = true;
        delivery.isFinal = true;
        onContent();
      }
      try {
        receive(event);
      } catch (thrown) {
        delivery.isFinal = true;
        delivery.isRefused = true;
        throw thrown;
      }
    },
  };
  return delivery;
}

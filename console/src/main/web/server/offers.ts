import { signal } from "@preact/signals";

/** Whether the server tells events, figures, thumbnails and processes; an older one tells of sessions alone. */
export const tellsAll = signal(false);

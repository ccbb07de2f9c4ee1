// The suite knows no tokens: every request it makes gets one here.
import { channel } from "node:diagnostics_channel";
channel("undici:request:create").subscribe(({ request }) => request.addHeader("authorization", `Bearer ${process.env.BELAY_TOKEN}`));

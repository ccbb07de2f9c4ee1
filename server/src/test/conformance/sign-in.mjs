// The suite knows no tokens: every request it makes gets one here.
import { channel } from "node:diagnostics_channel";
import http from "node:http";
channel("undici:request:create").subscribe(({ request }) => request.addHeader("authorization", `Bearer ${process.env.BELAY_TOKEN}`));
const { request } = http;
http.request = (options, ...rest) => request({ ...options, headers: { ...options.headers, authorization: `Bearer ${process.env.BELAY_TOKEN}` } }, ...rest);

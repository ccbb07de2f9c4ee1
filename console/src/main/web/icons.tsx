import type { JSX } from "preact";

const icon = (path: string, fill = false) =>
  function Icon({ size = 14, label }: { size?: number; label?: string }): JSX.Element {
    const drawn = fill
      ? { fill: "currentColor" }
      : { fill: "none", stroke: "currentColor", "stroke-width": 1.5, "stroke-linecap": "round" as const };
    return (
      <svg
        class="icon"
        width={size}
        height={size}
        viewBox="0 0 16 16"
        role={label ? "img" : undefined}
        aria-label={label}
        aria-hidden={label ? undefined : true}
        {...drawn}
      >
        <path d={path} />
      </svg>
    );
  };

export const Agent = icon("M8 1.5 9.6 6.4 14.5 8 9.6 9.6 8 14.5 6.4 9.6 1.5 8l4.9-1.6z", true);
export const Person = icon(
  "M8 2.2a2.7 2.7 0 1 1 0 5.4 2.7 2.7 0 0 1 0-5.4zM2.8 13.6c0-3 2-4.6 5.2-4.6s5.2 1.6 5.2 4.6z",
  true,
);
export const Lock = icon(
  "M5 7V5a3 3 0 0 1 6 0v2h.6c.5 0 .9.4.9.9v5.2c0 .5-.4.9-.9.9H4.4a.9.9 0 0 1-.9-.9V7.9c0-.5.4-.9.9-.9zm1.5 0h3V5a1.5 1.5 0 0 0-3 0z",
  true,
);
export const Keyboard = icon(
  "M2.5 4h11c.6 0 1 .4 1 1v6c0 .6-.4 1-1 1h-11a1 1 0 0 1-1-1V5c0-.6.4-1 1-1zm1.3 2v1.2H5V6zm2.5 0v1.2h1.2V6zm2.5 0v1.2H10V6zm2.4 0v1.2h1.2V6zM5 9v1.2h6V9z",
  true,
);
export const Eye = icon(
  "M1 8c1.7-3 4-4.5 7-4.5S13.3 5 15 8c-1.7 3-4 4.5-7 4.5S2.7 11 1 8zm7-2.3a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6z",
  true,
);
export const Plus = icon("M8 3v10M3 8h10");
export const Close = icon("M4 4l8 8M12 4l-8 8");
export const Search = icon("M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.5 10.5 14 14");
export const Down = icon("M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10");
export const Copy = icon(
  "M5.5 5.5V3.2c0-.4.3-.7.7-.7h6.6c.4 0 .7.3.7.7v6.6c0 .4-.3.7-.7.7h-2.3M3.2 5.5h6.6c.4 0 .7.3.7.7v6.6c0 .4-.3.7-.7.7H3.2a.7.7 0 0 1-.7-.7V6.2c0-.4.3-.7.7-.7z",
);
export const Shield = icon("M8 1.5 13.5 3.5v4c0 3.5-2.2 5.8-5.5 7-3.3-1.2-5.5-3.5-5.5-7v-4zM8 5v4M8 11v.3");
export const Menu = icon("M2.5 4.5h11M2.5 8h11M2.5 11.5h11");
export const Gear = icon(
  "M8 5.7a2.3 2.3 0 1 1 0 4.6 2.3 2.3 0 0 1 0-4.6zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4",
);

export const Logo = () => (
  <svg class="logo" width="18" height="18" viewBox="6 4 20 24" role="img" aria-label="Belay">
    <path
      d="M9 6h9.5a5.6 5.6 0 0 1 3.6 9.9A5.8 5.8 0 0 1 19 26H9zm5 4.4v3.6h3.4a1.8 1.8 0 0 0 0-3.6zm0 7.6v3.6h4a1.8 1.8 0 0 0 0-3.6z"
      fill="currentColor"
    />
  </svg>
);

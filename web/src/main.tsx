// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { startKeys } from "./keys";
import { startLive } from "./live";
import { offline, recordedHash } from "./offline";
import { Shell } from "./shell";
import { startUrl } from "./state";
import { startSelection } from "./timeline/select";
import "uplot/dist/uPlot.min.css";
import "./style.css";

if (offline && !location.hash)
	history.replaceState(null, "", recordedHash);
startUrl();
startLive();
startSelection();
startKeys();
render(<Shell />, document.getElementById("app") as HTMLElement);

export function OverviewPage() {
	return <div class="page"><h1>Overview</h1></div>;
}

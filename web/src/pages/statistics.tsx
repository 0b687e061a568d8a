export function StatisticsPage() {
	return <div class="page"><h1>Statistics</h1></div>;
}

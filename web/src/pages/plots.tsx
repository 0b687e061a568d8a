export function PlotsPage() {
	return <div class="page"><h1>Plots</h1></div>;
}

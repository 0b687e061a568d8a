export function InfoPage() {
	return <div class="page"><h1>Info</h1></div>;
}

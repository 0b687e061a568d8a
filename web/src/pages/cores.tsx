export function CoresPage() {
	return <div class="page"><h1>Cores</h1></div>;
}

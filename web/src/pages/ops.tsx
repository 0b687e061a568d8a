export function OpsPage() {
	return <div class="page"><h1>Ops</h1></div>;
}

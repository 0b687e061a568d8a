export function MessagesPage() {
	return <div class="page"><h1>Messages</h1></div>;
}

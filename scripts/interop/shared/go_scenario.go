// Prints the line of a scenario that `play`, in another file of the client, plays.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

var progress, dialogs atomic.Int64

func main() {
	scenario := os.Args[len(os.Args)-1]
	line := map[string]any{"scenario": scenario}
	if err := play(context.Background(), scenario, line); err != nil {
		line["error"] = err.Error()
	}
	// Notifications are handled beside the call.
	time.Sleep(100 * time.Millisecond)
	line["progress"] = progress.Load()
	if dialogs.Load() > 0 {
		line["elicited"] = true
	}
	printed, _ := json.Marshal(line)
	fmt.Println(string(printed))
}

// cancelOnceBegun cancels the call as soon as Duet's model has begun to answer, and returns what the caller got.
func cancelOnceBegun(ctx context.Context, call func(context.Context) error) string {
	stoppable, stop := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- call(stoppable) }()
	waitFor("INTEROP_STARTED")
	stop()
	err := <-ended
	waitFor("INTEROP_ENDED")
	return fmt.Sprint(err)
}

func waitFor(name string) {
	if response, err := http.Get(os.Getenv(name)); err == nil {
		response.Body.Close()
	}
}

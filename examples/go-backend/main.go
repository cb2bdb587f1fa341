// A service that pays invoices through an agent. It can start a payment; a person approves it, with a token of their own.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
)

var (
	port   = os.Getenv("PORT")
	engine = Engine{URL: os.Getenv("HOLDFAST"), Token: os.Getenv("STARTER")}
	key    []byte   // of callbacks
	seen   sync.Map // in a service of yours: a table, written together with what the message causes
)

type object = map[string]any

// pay starts a turn. The same invoice is the same turn, however often it is asked for.
func pay(request *http.Request) (any, error) {
	var payment struct {
		Invoice string
		Cents   int
	}
	if err := json.NewDecoder(request.Body).Decode(&payment); err != nil {
		return nil, &Refusal{Status: 400, Reason: "bad_request", Message: err.Error()}
	}
	body := object{
		"agent":        "payables",
		"message":      fmt.Sprintf("Pay %d cents for %s.", payment.Cents, payment.Invoice),
		"callback_url": "http://localhost:" + port + "/holdfast",
	}
	var turn struct {
		ID string `json:"turn_id"`
	}
	err := engine.Post("/v1/turns", "pay-"+payment.Invoice, body, &turn)
	return object{"turn": turn.ID}, err
}

// show tells how an invoice stands, and what a person has to decide: `call` is what an approval names.
func show(request *http.Request) (any, error) {
	view, err := engine.Turn("pay-" + request.PathValue("invoice"))
	waiting := []object{}
	for _, call := range view.Waiting {
		waiting = append(waiting, object{"call": call.Digest, "will_happen": call.Card.WillHappen})
	}
	return object{"state": view.State, "waiting": waiting}, err
}

// approve acts in the person's name: the token is theirs, and the service keeps it no longer than this.
func approve(request *http.Request) (any, error) {
	var decision struct{ Call string }
	if err := json.NewDecoder(request.Body).Decode(&decision); err != nil {
		return nil, &Refusal{Status: 400, Reason: "bad_request", Message: err.Error()}
	}
	// A key is its principal's own; an id is everybody's.
	view, err := engine.Turn("pay-" + request.PathValue("invoice"))
	if err != nil {
		return nil, err
	}
	person := Engine{URL: engine.URL, Token: strings.TrimPrefix(request.Header.Get("authorization"), "Bearer ")}
	var receipt struct{ By string }
	body := object{"decision": "approve", "call": decision.Call}
	err = person.Post("/v1/turns/"+url.PathEscape(view.ID)+"/decisions", "approve-"+decision.Call, body, &receipt)
	return object{"approved_by": receipt.By}, err
}

// calledBack is where a service tells people that something waits for them, or that it is done.
func calledBack(request *http.Request) (any, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil || !genuine(key, request.Header, body) {
		return nil, &Refusal{Status: 401, Reason: "invalid_signature", Message: "This webhook is not holdfast's."}
	}
	var message struct {
		Type string
		Turn struct{ State string }
	}
	if err := json.Unmarshal(body, &message); err != nil {
		return nil, &Refusal{Status: 400, Reason: "bad_request", Message: err.Error()}
	}
	if _, again := seen.LoadOrStore(request.Header.Get("webhook-id"), true); !again {
		fmt.Println(message.Type, message.Turn.State)
	}
	return nil, nil
}

// handle sends what it returns as JSON, with the status of a refusal.
func handle(act func(*http.Request) (any, error)) http.HandlerFunc {
	return func(answer http.ResponseWriter, request *http.Request) {
		request.Body = http.MaxBytesReader(answer, request.Body, 100_000)
		body, err := act(request)
		status := http.StatusOK
		var refusal *Refusal
		if errors.As(err, &refusal) {
			status, body = refusal.Status, object{"error": refusal.Reason, "message": refusal.Message}
		} else if err != nil {
			status, body = http.StatusBadGateway, object{"error": "no_answer", "message": err.Error()}
		}
		answer.Header().Set("content-type", "application/json")
		answer.WriteHeader(status)
		json.NewEncoder(answer).Encode(body)
	}
}

func main() {
	var err error
	if key, err = keyOf(os.Getenv("HOLDFAST_CALLBACK_SECRET")); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /invoices", handle(pay))
	http.HandleFunc("GET /invoices/{invoice}", handle(show))
	http.HandleFunc("POST /invoices/{invoice}/approval", handle(approve))
	http.HandleFunc("POST /holdfast", handle(calledBack))
	listener, err := net.Listen("tcp", "localhost:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listens on http://localhost:" + port)
	log.Fatal(http.Serve(listener, nil))
}

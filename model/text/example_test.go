package text_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

func Example() {
	train, _ := grammar.Pairs(1, 1000, 100)
	source, err := text.NewVocabulary(text.Sources(train), 500)
	if err != nil {
		log.Fatal(err)
	}
	target, err := text.NewVocabulary(text.Targets(train), 500)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(train[5].Source, " "))
	fmt.Println(strings.Join(train[5].Target, " "))
	fmt.Println(source.Decode(source.Encode([]string{"the", "purple", "cat"})))
	b := text.NewBatcher(text.Examples(train, source, target), 80, 1)
	fmt.Println(len(b.Next()), "of", len(train), "sentences,", b.BatchesPerEpoch(), "batches")
	// Output:
	// the beautiful horse wants the house and the large french cats sell this strange red church .
	// le beau cheval veut la maison et les grands chats français vendent cette église rouge étrange .
	// [the <unk> cat]
	// 80 of 1000 sentences, 13 batches
}
